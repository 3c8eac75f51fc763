import { join } from "node:path";
import { messageOf } from "../../errors.ts";
import { readTextIfThere } from "../../machine/files/files.ts";
import type { Layout } from "../../store/project/layout.ts";
import { editConfig } from "../../store/write/edit-config.ts";
import { plain } from "../output/terminal.ts";
import type { Io } from "../program/io.ts";
import { detectCheck } from "./detect-check.ts";
import { initQuestions, type InitQuestion, type InitSetting } from "./questions.ts";

/** Asks a person at a new project, and writes the answers as settings. */
export async function askInitQuestions(io: Io, at: Layout): Promise<InitSetting[]> {
  const check = detectCheck((name) => readTextIfThere(join(at.project, name)));
  const settings: InitSetting[] = [];
  io.writeError("Four questions; Enter takes the default. `saga config` changes it later.\n");
  for (const question of initQuestions({ check })) {
    const setting = await askOne(io, question);
    if (setting === undefined) continue;
    await editConfig(at, setting.key, setting.value);
    settings.push(setting);
  }
  return settings;
}

const MAX_TRIES = 3;

async function askOne(io: Io, question: InitQuestion): Promise<InitSetting | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const prompt = `${question.text} [${plain(question.fallback)}]: `;
    const answer = (await io.ask(prompt)).trim() || question.fallback;
    try {
      return question.settingOf(answer);
    } catch (error) {
      io.writeError(`${messageOf(error)}\n`);
    }
  }
  return undefined;
}
