"""Training of the models that PragAURA ships."""
