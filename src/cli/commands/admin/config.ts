import { SagaError } from "../../../errors.ts";
import {
  listSettings,
  requireSetting,
  settingValue,
  type SettingValue,
} from "../../../store/project/config.ts";
import { editConfig } from "../../../store/write/edit-config.ts";
import { configFile, layoutOf, requireProject } from "../../../store/project/layout.ts";
import { truncate } from "../../../text/one-line.ts";
import type { CommandResult, Build } from "../../program/command.ts";
import { columns, plain, type Paint } from "../../output/terminal.ts";

export const build: Build = (builder) => {
  const config = builder.command("config", "Show or change the project's settings.", [
    "saga config                         list all settings",
    "saga config get size.max_files",
    "saga config set size.max_files 8",
    "saga config unset size.max_files",
  ]);
  config.argument("[key]", "a setting, such as size.max_files; like `saga config get <key>`");
  builder.action(config, async ({ cwd }, [key]) => {
    if (key !== undefined) return oneSetting(cwd, key);
    const at = layoutOf(requireProject(cwd));
    const settings = listSettings(at);
    return {
      json: { file: configFile(at), settings: settings.map(settingJson) },
      text: (paint) => render(settings, paint),
    };
  });
  const child = (name: string, about: string, example: string) => {
    const command = builder
      .command(name, about, [example])
      .argument("<key>", "a setting, such as size.max_files");
    config.addCommand(command);
    return command;
  };
  builder.action(
    child("get", "Print one setting.", "saga config get size.max_files"),
    async ({ cwd }, [key = ""]) => oneSetting(cwd, key),
  );
  builder.action(
    child(
      "set",
      "Change one setting; comments in the file are kept.",
      "saga config set size.max_files 8",
    ).argument("<value>", "the new value, such as 8, true or '[\"npm test\"]'"),
    ({ cwd }, [key = "", value = ""]) => change(cwd, key, settingValue(key, value)),
  );
  builder.action(
    child("unset", "Reset one setting to its default.", "saga config unset size.max_files"),
    ({ cwd }, [key = ""]) => change(cwd, key, undefined),
  );
  return config;
};

function oneSetting(cwd: string, key: string): CommandResult {
  const setting = settingOf(cwd, key);
  return { json: settingJson(setting), text: () => `${plain(valueText(setting.value))}\n` };
}

async function change(cwd: string, key: string, value: unknown): Promise<CommandResult> {
  await editConfig(layoutOf(requireProject(cwd)), key, value);
  const setting = settingOf(cwd, key);
  return {
    json: settingJson(setting),
    text: () =>
      `${setting.key} is ${plain(valueText(setting.value))}${setting.isSet ? "" : " (default)"}.\n`,
  };
}

function settingOf(cwd: string, key: string): SettingValue {
  const { key: current } = requireSetting(key);
  const setting = listSettings(layoutOf(requireProject(cwd))).find((one) => one.key === current);
  if (setting) return setting;
  throw new SagaError("bad-setting", `There is no setting ${key}.`);
}

function render(settings: readonly SettingValue[], paint: Paint): string {
  const rows = columns(
    settings.map(({ key, value, isSet, about }) => [
      key,
      // Long values are cut so that the descriptions stay visible; `saga config get` prints the whole value.
      truncate(plain(valueText(value)), MAX_VALUE_WIDTH),
      isSet ? "set" : "default",
      about,
    ]),
  );
  return `${rows.map((row, at) => (settings[at]?.isSet ? row : paint("dim", row))).join("\n")}\n`;
}

const MAX_VALUE_WIDTH = 36;

const settingJson = ({ key, value, isSet, fallback, about }: SettingValue) => ({
  key,
  value: value ?? null,
  isSet,
  default: fallback ?? null,
  about,
});

const valueText = (value: unknown): string =>
  value === undefined ? "not set" : typeof value === "string" ? value : JSON.stringify(value);
