"""Faces for other libraries; all single-seat ones stand on `single_seat`."""
