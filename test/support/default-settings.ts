import { configSchema, settingsOf, type Settings } from "../../src/story/settings/settings.ts";

/** The settings of a project that sets none. */
export const defaults: Settings = settingsOf(configSchema.parse({}));
