"""How requests find their pool, and inside it their replica: light data plus one compiled rule each."""
