/** Rows drawn ahead at most, in steps of {@link STEP}: a row that is drawn for nothing delays those in sight. */
const AHEAD_MAX = 24
const STEP = 8
/** Frames of scrolling that are drawn ahead. */
const FRAMES_AHEAD = 2
const FRAME_MS = 1_000 / 60

/**
 * Rows to draw ahead of a grid that is scrolled: as many as come in sight in the next frames. None where whole pages go by, because the rows ahead
 * would be past before they were painted.
 *
 * @param rowsPerMs - speed, negative upwards
 * @returns in the direction of scrolling, negative upwards
 */
export function rowsAhead(rowsPerMs: number, pageRows: number): number {
  const perFrame = Math.abs(rowsPerMs) * FRAME_MS
  if (perFrame < 1 || perFrame > pageRows) return 0
  return Math.sign(rowsPerMs) * Math.min(AHEAD_MAX, Math.ceil((perFrame * FRAMES_AHEAD) / STEP) * STEP)
}

/** The first and the last row to draw of a view with so many rows; without rows the last is before the first. */
export function rowsToDraw(
  { firstRow, pageRows, ahead }: { readonly firstRow: number; readonly pageRows: number; readonly ahead: number },
  overscan: number,
  rows: number,
): { readonly first: number; readonly last: number } {
  return {
    first: Math.max(0, firstRow - overscan + Math.min(0, ahead)),
    last: Math.min(rows - 1, firstRow + pageRows + overscan + Math.max(0, ahead)),
  }
}
