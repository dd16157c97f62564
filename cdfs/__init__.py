"""Length distributions that ship with fleettui, one JSON file each, every one naming its source and licence."""
