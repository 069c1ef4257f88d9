"""The window itself: list, pages, menus, keys."""
