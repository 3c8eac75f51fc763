import { needsYou } from "../words/states.ts";
import { useDerived } from "./hooks.ts";

/** Stories, epics and loose tasks that wait for a person. */
export const useWaitingCount = (): number =>
  useDerived(({ stories, epics, pool }) => {
    const tasks = Object.values(pool).flatMap((list) => list.tasks);
    return (
      Object.values(stories).filter(needsYou).length +
      Object.values(epics).filter(({ awaitsMerge }) => awaitsMerge).length +
      tasks.filter(({ state }) => state === "needs-you").length
    );
  });
