import { useState } from "react";
import { useActions } from "../actions/action-provider.tsx";
import { FormError } from "../actions/form-error.tsx";
import { useSubmit } from "../actions/use-submit.ts";
import { useEntity, useIsOffline } from "../live/hooks.ts";
import { Button } from "../parts/button.tsx";
import { Command } from "../parts/copy.tsx";
import { TextField } from "../parts/field.tsx";

export function EmptyPool() {
  const project = useEntity("project", "project")?.name ?? "";
  const [list, setList] = useState(() => listName(project));
  const { attempt } = useActions();
  const isOffline = useIsOffline();
  const { isBusy, error, submit } = useSubmit(attempt, () => undefined);
  return (
    <div className="max-w-md space-y-4 text-sm text-soft">
      <p>
        The pool runs independent tasks with several agents at once. It needs a task list: name one,
        then add tasks and start the pool.
      </p>
      <form
        className="flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void submit({ act: "pool-list", list: list.trim() });
        }}
      >
        <TextField
          label="List name"
          className="flex-1"
          required
          value={list}
          onChange={(event) => setList(event.target.value)}
        />
        <Button
          type="submit"
          look="main"
          isBusy={isBusy}
          disabled={isOffline || list.trim() === ""}
        >
          Create the list
        </Button>
      </form>
      <FormError error={error} />
      <p>Or in a terminal:</p>
      <Command>{`saga config set auto.task_list_id ${list.trim() || listName(project)}`}</Command>
    </div>
  );
}

/** Named after the project: lists are shared by all projects of a user. */
const listName = (project: string): string =>
  `${
    project
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-|-$/g, "") || "project"
  }-tasks`;
