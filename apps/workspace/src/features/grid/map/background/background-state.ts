/** What a map shows below its records. */
export interface BackgroundState {
  /** The simple ground shows until the background is there, and again when it cannot be. */
  readonly phase: 'loading' | 'shown' | 'missing'
  /** Something of it could not be loaded. */
  readonly hasFailed: boolean
  readonly hasTiles: boolean
  /** The policy that this page was loaded with does not allow the map's origins yet. */
  readonly isForbidden: boolean
}

/**
 * `tile`: one was loaded · `failed`: a tile, a source, a glyph or a sprite was not · `drawn`: all that is in sight was
 * tried · `broken`: there is no style, no library or no WebGL · `silent`: nothing has come for a while
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
      // A style may have no tiles at all, and of the sea there may be none.
      return { ...state, phase: state.hasFailed && !state.hasTiles ? 'missing' : 'shown' }
    case 'broken':
      return { ...state, phase: 'missing', hasFailed: true }
    case 'silent':
      return state.phase === 'loading' ? { ...state, phase: 'missing', hasFailed: true } : state
    case 'forbidden':
      return { ...state, isForbidden: true }
  }
}
