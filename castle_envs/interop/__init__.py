"""Faces for other libraries, one small file each; all single-seat ones stand on `single_seat`."""
