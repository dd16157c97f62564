"""Plans side by side: one view of what differs and what that means, which every front end shows."""
