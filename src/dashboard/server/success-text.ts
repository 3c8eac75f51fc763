import type { PageAction } from "../protocol/actions.ts";
import { definitionSuccess } from "./definition-commands.ts";

/** The message after an action succeeded. */
export function successText(action: PageAction): string {
  switch (action.act) {
    case "new-story":
    case "new-task":
    case "new-epic":
    case "edit":
    case "unarchive":
    case "remove-task":
    case "remove-epic":
      return definitionSuccess(action);
    case "run":
      return `Started ${action.story}.`;
    case "stop":
      return `Stopped ${action.story}. Its work is kept.`;
    case "resume":
      return `Resumed ${action.story}.`;
    case "discard":
      return `Discarded the work on ${action.story}. A snapshot is saved.`;
    case "push":
      return `Pushed the branch of ${action.story}.`;
    case "merge":
      return `Merged ${action.story}.`;
    case "verify":
      return `${action.story}: all checks passed.`;
    case "archive":
      return `Archived ${action.story}.`;
    case "remove":
      return `Removed ${action.story}. Its files are in .saga/removed.`;
    case "restore":
      return `Restored snapshot ${action.number} of ${action.story}.`;
    case "note":
      return `Saved the note. It reaches the agent of ${action.story} with its next tool call or run.`;
    case "accept":
      return `Accepted${action.merge === true ? " and merged" : ""} ${action.story}.`;
    case "reject":
      return action.run === true
        ? `Sent back ${action.story}. It continues with your feedback.`
        : `Sent back ${action.story}. Your feedback is now a task.`;
    case "resolve":
      return action.run === true
        ? `Answered. ${action.story} continues.`
        : `Answered. ${action.story} continues with its next run.`;
    case "epic-run":
      return `Running epic ${action.epic}.`;
    case "epic-merge":
      return `Merged epic ${action.epic}.`;
    case "epic-stop":
      return `Stopped the run of ${action.epic}. Running stories continue.`;
    case "queue-hold":
      return `Holding ${action.entry}.`;
    case "queue-release":
      return `Released ${action.entry}.`;
    case "queue-drop":
      return `Dropped ${action.entry} from the queue.`;
    case "queue-run":
      // Some may have been refused: their stories say why.
      return "The queue is empty.";
    case "session-stop":
      return `Stopped ${action.session}.`;
    case "task-release":
      return `Task ${action.task} is back on the list.`;
    case "task-add":
      return "Added the task.";
    case "pool-list":
      return `The pool now uses the list ${action.list}.`;
    case "pool-start":
      return "Started the pool.";
    case "pool-stop":
      return "Stopped the pool. Its work is kept.";
    case "pool-drain":
      return "Draining: no new tasks will start; the pool exits when running tasks finish.";
  }
}
