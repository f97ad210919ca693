"""The engine: kernels, random streams, layouts, the AEC class and the batch. It knows no game."""
