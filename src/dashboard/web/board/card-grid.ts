// Moves the focus over the board with the arrow keys: up and down within a column, left and right between columns.

type Arrow = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight";

/** A card's place: which column of which lane, and which card of it. */
export interface CardPlace {
  readonly lane: number;
  readonly column: number;
  readonly card: number;
}

/** `sizes[lane][column]` is the number of cards. Undefined if there is no card in that direction. Pure. */
export function nextPlace(
  from: CardPlace,
  key: string,
  sizes: readonly (readonly number[])[],
): CardPlace | undefined {
  switch (key as Arrow) {
    case "ArrowUp":
      if (from.card > 0) return { ...from, card: from.card - 1 };
      return inOtherLane(from, -1, sizes);
    case "ArrowDown":
      if (from.card < sizeAt(sizes, from) - 1) return { ...from, card: from.card + 1 };
      return inOtherLane(from, 1, sizes);
    case "ArrowLeft":
      return inOtherColumn(from, -1, sizes);
    case "ArrowRight":
      return inOtherColumn(from, 1, sizes);
    default:
      return undefined;
  }
}

const sizeAt = (
  sizes: readonly (readonly number[])[],
  { lane, column }: Pick<CardPlace, "lane" | "column">,
): number => sizes[lane]?.[column] ?? 0;

/** Skips empty columns. */
function inOtherColumn(
  from: CardPlace,
  step: 1 | -1,
  sizes: readonly (readonly number[])[],
): CardPlace | undefined {
  const columns = sizes[from.lane]?.length ?? 0;
  for (let column = from.column + step; column >= 0 && column < columns; column += step) {
    const size = sizeAt(sizes, { lane: from.lane, column });
    if (size > 0) return { lane: from.lane, column, card: Math.min(from.card, size - 1) };
  }
  return undefined;
}

/** The same column of the next lane that has a card there. */
function inOtherLane(
  from: CardPlace,
  step: 1 | -1,
  sizes: readonly (readonly number[])[],
): CardPlace | undefined {
  for (let lane = from.lane + step; lane >= 0 && lane < sizes.length; lane += step) {
    const size = sizeAt(sizes, { lane, column: from.column });
    if (size > 0) return { lane, column: from.column, card: step === 1 ? 0 : size - 1 };
  }
  return undefined;
}
