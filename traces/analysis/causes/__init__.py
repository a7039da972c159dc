"""Why a run takes as long as it does: every cycle charged to what it was spent on."""
