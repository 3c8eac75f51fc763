import { useEffect } from "react";
import { useLocation } from "wouter";
import { FLEET_PAGE, PAGES } from "../keys/pages.ts";
import { useEntity } from "../live/hooks.ts";
import { useWaitingCount } from "../live/waiting-count.ts";

/** Tabs are told apart by their title, which also says, like the icon, whether something needs a person. */
export function usePageTitle(): void {
  const [path] = useLocation();
  const project = useEntity("project", "project")?.name;
  const waiting = useWaitingCount();
  const [, kind = "", id = ""] = path.split("/");
  const story = useEntity("stories", id);
  const epic = useEntity("epics", id);
  const named = kind === "story" ? story?.title : kind === "epic" ? epic?.title : undefined;
  const title = pageTitle(path, { named, project, waiting });
  useEffect(() => {
    document.title = title;
    const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (icon) icon.href = waiting > 0 ? "/favicon-waiting.svg" : "/favicon.svg";
  }, [title, waiting]);
}

interface PageFacts {
  /** The title of the story or epic that the page shows. */
  readonly named: string | undefined;
  readonly project: string | undefined;
  readonly waiting: number;
}

export function pageTitle(path: string, { named, project, waiting }: PageFacts): string {
  const id = path.split("/")[2] ?? "";
  const word = named ?? [...PAGES, FLEET_PAGE].find(({ href }) => href === path)?.word ?? id;
  const title = [word, project, "Saga"].filter(Boolean).join(" · ");
  return waiting > 0 ? `(${waiting}) ${title}` : title;
}
