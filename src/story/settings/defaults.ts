// Defaults that are needed where the schema of the settings is not loaded.

/** The longest that a check may take. */
export const DEFAULT_CHECK_MINUTES = 20;
