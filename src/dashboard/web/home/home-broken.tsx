import { isSameList, useDerived } from "../live/hooks.ts";
import { BrokenFiles } from "../parts/broken-files.tsx";

export function BrokenInProject() {
  const problems = useDerived(({ problems }) => Object.values(problems), isSameList);
  return <BrokenFiles problems={problems} />;
}
