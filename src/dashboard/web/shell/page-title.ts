import { useEffect } from "react";
import { useLocation } from "wouter";
import { PAGES } from "../keys/pages.ts";
import { useEntity } from "../live/hooks.ts";

/** Tabs and history entries are told apart by their title. */
export function usePageTitle(): void {
  const [path] = useLocation();
  const project = useEntity("project", "project")?.name;
  const [, kind = "", id = ""] = path.split("/");
  const story = useEntity("stories", id);
  const epic = useEntity("epics", id);
  const named = kind === "story" ? story?.title : kind === "epic" ? epic?.title : undefined;
  const word = named ?? PAGES.find(({ href }) => href === path)?.word ?? id;
  useEffect(() => {
    document.title = [word, project, "Saga"].filter(Boolean).join(" · ");
  }, [word, project]);
}
