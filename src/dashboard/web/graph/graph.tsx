// The graph of stories or tasks. Its library is loaded when a graph is first shown.

import { lazy, Suspense } from "react";
import { Loading, Panel } from "../parts/layout.tsx";
import { ErrorBoundary } from "../parts/error-boundary.tsx";
import type { GraphInput } from "./input.ts";

const Flow = lazy(async () => {
  const { Flow } = await import("./flow.tsx");
  return { default: Flow };
});

export interface GraphProps {
  readonly graph: GraphInput;
  readonly label: string;
  readonly onChoose?: (id: string) => void;
  /** Called before it is first drawn. `isLegible`: as a whole. */
  readonly onMeasured?: (size: { readonly isLegible: boolean }) => void;
  readonly className?: string;
}

export function Graph({ className = "h-[26rem]", ...rest }: GraphProps) {
  return (
    <Panel className={`overflow-hidden ${className}`}>
      <ErrorBoundary what="The graph">
        <Suspense fallback={<Loading what="the graph" />}>
          <Flow {...rest} />
        </Suspense>
      </ErrorBoundary>
    </Panel>
  );
}
