// `.saga/config.toml`, read strictly: an unknown key or a bad value is an error with its line.

import { existsSync } from "node:fs";
import { parse, TomlError } from "smol-toml";
import { SagaError, type FieldPath, type Problem } from "../../errors.ts";
import { readTextIfThere } from "../../machine/files/files.ts";
import { shellQuote } from "../../text/shell-quote.ts";
import { explain, fieldName, type FieldProblem } from "../../story/definition/explain-error.ts";
import { didYouMean, nearestNames } from "../../text/did-you-mean.ts";
import {
  configSchema,
  SETTINGS,
  settingsOf,
  type SettingInfo,
  type Settings,
} from "../../story/settings/settings.ts";
import { newReading } from "./find.ts";
import { configFile, type Layout } from "./layout.ts";
import { readOrReport } from "./read.ts";

export interface LoadedSettings {
  readonly settings: Settings;
  readonly problems: readonly Problem[];
}

/** With problems, the settings are the defaults: enough to report everything else as well. */
export function loadSettings(at: Layout): LoadedSettings {
  const reading = newReading();
  const file = configFile(at);
  const text = existsSync(file) ? readOrReport(at, file, reading) : "";
  if (text === undefined) return { settings: DEFAULTS, problems: reading.problems };
  return judgeConfig(file, text);
}

const DEFAULTS = settingsOf(configSchema.parse({}));

interface JudgedConfig extends LoadedSettings {
  readonly file: string;
  readonly text: string;
}

/** A process asks for its settings many times; they are parsed again only when the text has changed. */
let lastJudged: JudgedConfig | undefined;

/** Parses and validates the text of a settings file. */
export function judgeConfig(file: string, text: string): LoadedSettings {
  if (lastJudged?.file !== file || lastJudged.text !== text) {
    lastJudged = { file, text, ...parseConfig(file, text) };
  }
  return lastJudged;
}

function parseConfig(file: string, text: string): LoadedSettings {
  const table = parseToml(file, text);
  if (table.problem) return { settings: DEFAULTS, problems: [table.problem] };
  const parsed = configSchema.safeParse(table.value);
  if (parsed.success) return { settings: settingsOf(parsed.data), problems: [] };
  const problems = explain(parsed.error, table.value).map((problem): Problem => ({
    ...problem,
    file,
    line: lineOfKey(text, problem.path),
    fix: fixFor(problem),
  }));
  return { settings: DEFAULTS, problems };
}

function fixFor({ path, key, fix }: FieldProblem): string {
  if (key === "unknown-field") {
    return "`saga config` lists all settings.";
  }
  return path.length === 1 ? `Write it as a section: [${path[0]}].` : fix;
}

export function requireSettings(at: Layout): Settings {
  const { settings, problems } = loadSettings(at);
  if (problems.length === 0) return settings;
  throw invalidSettings(problems);
}

export const invalidSettings = (problems: readonly Problem[]): SagaError =>
  new SagaError("bad-setting", "The settings of this project are not valid.", {
    hint: "Fix the lines listed above; `saga config --help` shows how to set one.",
    problems,
  });

export interface SettingValue extends SettingInfo {
  readonly value: unknown;
  readonly isSet: boolean;
}

export function listSettings(at: Layout): SettingValue[] {
  requireSettings(at);
  const text = readTextIfThere(configFile(at)) ?? "";
  const table = (parseToml(configFile(at), text).value ?? {}) as Tables;
  return SETTINGS.map((setting) => {
    const value = table[setting.section]?.[setting.name];
    return { ...setting, value: value ?? setting.fallback, isSet: value !== undefined };
  });
}

/** Converts text from a command line to the type of the setting. */
export function settingValue(key: string, text: string): unknown {
  const setting = requireSetting(key);
  if (setting.schema.safeParse(text).success) return text;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}

export function requireSetting(key: string): SettingInfo {
  const setting = SETTINGS.find((one) => one.key === key);
  if (setting) return setting;
  const keys = SETTINGS.map((one) => one.key);
  throw new SagaError("bad-setting", `There is no setting ${JSON.stringify(key)}.`, {
    hint: didYouMean(nearestNames(key, keys)) ?? "`saga config` lists all settings.",
  });
}

export type Tables = Record<string, Record<string, unknown>>;

/** A hint for the most likely mistake: one entry without brackets, or without quotes inside them. */
function inAList({ key, schema }: SettingInfo, value: unknown): string {
  const entry =
    typeof value === "string" ? value.replace(/^\[\s*(?<inside>.*?)\s*\]$/s, "$<inside>") : "";
  if (entry === "" || !schema.safeParse([entry]).success) return "";
  return `Write it as a list: \`saga config set ${key} ${shellQuote(JSON.stringify([entry]))}\`. `;
}

export function requireValue(setting: SettingInfo, value: unknown): void {
  const parsed = setting.schema.safeParse(value);
  if (parsed.success) return;
  const [problem] = explain(parsed.error, value);
  const reason = problem?.reason ?? "cannot have this value";
  throw new SagaError("bad-setting", `\`${setting.key}\` ${reason}.`, {
    hint: `${inAList(setting, value)}About this setting: ${setting.about} Default: ${JSON.stringify(setting.fallback ?? "")}.`,
  });
}

type Parsed = { value: unknown; problem?: never } | { problem: Problem; value?: never };

export function parseToml(file: string, text: string): Parsed {
  try {
    return { value: parse(text) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = `This is not valid TOML: ${error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "")}.`;
    const { line, column } = error;
    return {
      problem: { file, line, column, severity: "error", message, fix: "Correct this line." },
    };
  }
}

/** The line that sets a key, in its table or as a dotted key. */
export function lineOfKey(text: string, path: FieldPath): number | undefined {
  const wanted = fieldName(path);
  let table = "";
  const lines = withoutLongTexts(text).split("\n");
  const found = lines.findIndex((line) => {
    table = /^\s*\[(?<name>[^\]]+)\]/.exec(line)?.groups?.["name"]?.trim() ?? table;
    if (table === wanted && line.trimStart().startsWith("[")) return true;
    const key = /^\s*(?<key>[\w.-]+)\s*=/.exec(line)?.groups?.["key"];
    return key !== undefined && (table === "" ? key : `${table}.${key}`) === wanted;
  });
  return found < 0 ? undefined : found + 1;
}

/** Blanks multi-line strings, whose lines may look like keys. Line numbers stay the same. */
const withoutLongTexts = (toml: string): string =>
  toml.replaceAll(LONG_TEXTS, (found) =>
    /^(?:"""|'''|#)/.test(found) ? found.replaceAll(/[^\n]/g, "") : found,
  );
/** Also matches comments and short strings, so that a quote inside one does not open a string. */
const LONG_TEXTS = /#.*|"""(?:\\[^]|[^\\])*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'[^'\n]*'/g;
