// Where something cannot be drawn, that alone is missing, and says so. A class, because React asks for one.

import { Component, type ReactNode } from "react";
import { Button } from "./button.tsx";

interface Props {
  /** What is missing, as a sentence begins. */
  readonly what: string;
  /** Another one, and it is tried again. */
  readonly place?: string;
  readonly children: ReactNode;
}

interface State {
  readonly error?: Error | undefined;
  readonly place?: string | undefined;
}

export class Mishap extends Component<Props, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps({ place }: Props, before: State): State | null {
    return place === before.place ? null : { place, error: undefined };
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
