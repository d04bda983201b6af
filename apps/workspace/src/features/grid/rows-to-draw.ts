/** Limit of rows rendered ahead, in steps of {@link STEP}. Rendering a row needlessly delays the visible ones. */
const AHEAD_MAX = 24
const STEP = 8
/** Frames of scrolling to render ahead. */
const FRAMES_AHEAD = 2
const FRAME_MS = 1_000 / 60

/**
 * Returns how many rows to render ahead while scrolling: those that become visible in the next frames. Returns 0 when whole pages fly by, because the rows
 * would be past before they are painted.
 *
 * @param rowsPerMs - speed, negative upwards
 * @returns rows in the direction of scrolling, negative upwards
 */
export function rowsAhead(rowsPerMs: number, pageRows: number): number {
  const perFrame = Math.abs(rowsPerMs) * FRAME_MS
  if (perFrame < 1 || perFrame > pageRows) return 0
  return Math.sign(rowsPerMs) * Math.min(AHEAD_MAX, Math.ceil((perFrame * FRAMES_AHEAD) / STEP) * STEP)
}

/** Returns the first and last row to render. In an empty view the last is before the first. */
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
