import type { ReactNode } from "react";
import type { PageAction } from "../../protocol/actions.ts";
import { useIsOffline } from "../live/hooks.ts";
import { Button, type ButtonProps } from "../parts/button.tsx";
import { useActions } from "./action-provider.tsx";
import { useSubmit } from "./use-submit.ts";

/** Runs an action at once. */
export function ActButton({
  act,
  children,
  ...rest
}: Omit<ButtonProps, "onClick" | "isBusy"> & { act: PageAction; children: ReactNode }) {
  const { perform } = useActions();
  const isOffline = useIsOffline();
  const { isBusy, submit } = useSubmit(perform, () => undefined);
  return (
    <Button {...rest} isBusy={isBusy} disabled={isOffline} onClick={() => void submit(act)}>
      {children}
    </Button>
  );
}
