import { needsYou } from "../words/states.ts";
import { useDerived } from "./hooks.ts";

/** Stories and loose tasks that wait for a person. */
export const useWaitingCount = (): number =>
  useDerived(({ stories, pool }) => {
    const tasks = Object.values(pool).flatMap((list) => list.tasks);
    return (
      Object.values(stories).filter(needsYou).length +
      tasks.filter(({ state }) => state === "needs-you").length
    );
  });
