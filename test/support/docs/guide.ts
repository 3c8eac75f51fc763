// The guide is long, so its tests follow two halves in parallel. Both start here.

export const GUIDE = "docs/guide.md";
export const SECOND_HALF = "## Leaving it alone";
