import { newProject, type Project } from "./project.ts";

export const SETTINGS_FILE = ".saga/config.toml";

export function withSettings(text: string): Project {
  const project = newProject();
  project.write(SETTINGS_FILE, text);
  return project;
}
