"""Problems: an arm, its state, the torques and the contact; from files or drawn."""
