import { newProject, type Project } from "./project.ts";

type Fields = Readonly<Record<string, unknown>>;

export function projectWith(story: Fields, ...tasks: readonly Fields[]): Project {
  const project = newProject();
  const folder = `.saga/stories/${String(story["id"])}`;
  project.write(`${folder}/story.json`, story);
  for (const task of tasks) project.write(`${folder}/${String(task["id"])}.json`, task);
  return project;
}
