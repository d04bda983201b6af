/** State of the background map below the records. */
export interface BackgroundState {
  /** While loading or missing, the simple ground is shown instead. */
  readonly phase: 'loading' | 'shown' | 'missing'
  /** Part of the background failed to load. */
  readonly hasFailed: boolean
  readonly hasTiles: boolean
  /** The page's content security policy does not yet allow the map's origins. */
  readonly isForbidden: boolean
}

/**
 * `tile`: a tile was loaded · `failed`: a tile, source, glyph or sprite failed to load · `drawn`: everything in view was tried · `broken`: the style, the
 * library or WebGL is missing · `silent`: nothing has arrived for a while
 */
export type BackgroundEvent = 'begin' | 'tile' | 'failed' | 'drawn' | 'broken' | 'silent' | 'forbidden'

export const LOADING: BackgroundState = { phase: 'loading', hasFailed: false, hasTiles: false, isForbidden: false }

export function nextBackground(state: BackgroundState, event: BackgroundEvent): BackgroundState {
  switch (event) {
    case 'begin':
      return LOADING
    case 'tile':
      return { ...state, phase: 'shown', hasTiles: true }
    case 'failed':
      return { ...state, hasFailed: true }
    case 'drawn':
      // A style may have no tiles, and neither may the sea.
      return { ...state, phase: state.hasFailed && !state.hasTiles ? 'missing' : 'shown' }
    case 'broken':
      return { ...state, phase: 'missing', hasFailed: true }
    case 'silent':
      return state.phase === 'loading' ? { ...state, phase: 'missing', hasFailed: true } : state
    case 'forbidden':
      return { ...state, isForbidden: true }
  }
}
