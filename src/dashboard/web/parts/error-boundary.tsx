// Shows an error in place of a part that cannot be rendered. A class, because React requires one.

import { Component, type ReactNode } from "react";
import { Button } from "./button.tsx";

interface Props {
  /** The part, as the start of a sentence: "The graph". */
  readonly what: string;
  /** Renders the children again when it changes. */
  readonly resetKey?: string;
  readonly children: ReactNode;
}

interface State {
  readonly error?: Error | undefined;
  readonly resetKey?: string | undefined;
}

export class ErrorBoundary extends Component<Props, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps({ resetKey }: Props, before: State): State | null {
    return resetKey === before.resetKey ? null : { resetKey, error: undefined };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div role="alert" className="m-4 max-w-xl rounded-xl bg-bad-wash px-5 py-4 text-sm md:m-8">
        <p className="font-medium text-bad">{this.props.what} cannot be shown.</p>
        <p className="mt-1 text-soft">
          Saga may have been updated while this page was open. No data was lost.
        </p>
        <p className="mt-2 font-mono text-xs break-words text-faint">{error.message}</p>
        <Button className="mt-3" onClick={() => location.reload()}>
          Reload the page
        </Button>
      </div>
    );
  }
}
