/** For an agent whose run is about to end. */
export const STOPPING = "Saga is ending this run. Stop now.";
