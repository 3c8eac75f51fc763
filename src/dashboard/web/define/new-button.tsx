import type { DefinitionKind } from "../../protocol/actions.ts";
import { useActions } from "../actions/action-provider.tsx";
import { useIsOffline } from "../live/hooks.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";

/** @param of the epic of a new story. */
export function NewButton({ kind, of }: { kind: Exclude<DefinitionKind, "task">; of?: string }) {
  const { ask } = useActions();
  const isOffline = useIsOffline();
  return (
    <Button
      disabled={isOffline}
      onClick={() => ask({ about: "create", kind, ...(of !== undefined && { of }) })}
    >
      <Icon name="plus" className="size-3.5" />
      New {kind}
    </Button>
  );
}
