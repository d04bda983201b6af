/** The state of a view's rows, for rendering. */
export interface WindowsState {
  /** Number of rows in the view; `undefined` before the first count. */
  readonly count: number | undefined
  /** Number of positions, rows and group headers: the whole view or, before it is counted, the loaded ones. `undefined`: none are loaded. */
  readonly rows: number | undefined
  readonly error: Error | undefined
  /** Group levels. 0: ungrouped, so each position has a row. */
  readonly levels: number
  /** Increases with every change of the loaded rows. */
  readonly version: number
}

/** How current the loaded rows are. */
type Content =
  /** Nothing of this view has been read. */
  | 'unread'
  /** The tables may have changed since, or the rows are not counted yet. */
  | 'outdated'
  | 'read'
  /** Only the collapsed groups changed; the groups themselves are current. */
  | 'toggled'

/** The state of loading a view. Refreshing and filling are independent: a window may still be loading when a refresh begins. */
export interface RowWindowsState {
  readonly kind: 'open' | 'closed'
  /** Results of an older generation belong to another view or an earlier state. */
  readonly generation: number
  readonly isRefreshing: boolean
  readonly isFilling: boolean
  readonly content: Content
  readonly view: WindowsState
}

export type RowWindowsEvent =
  | { readonly kind: 'view changed' }
  | { readonly kind: 'tables changed' }
  | { readonly kind: 'groups toggled' }
  /** Other rows became visible. */
  | { readonly kind: 'scrolled' }
  | { readonly kind: 'first rows read'; readonly rows: number; readonly isAll: boolean }
  | { readonly kind: 'rows read'; readonly count: number; readonly hasChanged: boolean }
  | { readonly kind: 'groups read'; readonly records: number; readonly places: number; readonly levels: number }
  /** One window or one row changed. */
  | { readonly kind: 'rows changed' }
  | { readonly kind: 'failed'; readonly error: Error }
  | { readonly kind: 'refresh ended' }
  | { readonly kind: 'fill ended' }
  | { readonly kind: 'closed' }

export type RowWindowsEffect = 'watch tables' | 'start refresh' | 'start fill' | 'release everything'

interface Transition {
  readonly state: RowWindowsState
  readonly effects: readonly RowWindowsEffect[]
}

const NONE: readonly RowWindowsEffect[] = []

export const UNREAD: RowWindowsState = {
  kind: 'open',
  generation: 0,
  isRefreshing: false,
  isFilling: false,
  content: 'unread',
  view: { count: undefined, rows: undefined, error: undefined, levels: 0, version: 0 },
}

/** Applies an event. Send events with row data only while {@link isCurrent} holds for the generation that requested them. */
export function transition(state: RowWindowsState, event: RowWindowsEvent): Transition {
  if (state.kind === 'closed') return { state, effects: NONE }
  switch (event.kind) {
    case 'view changed': {
      // An empty previous view says nothing about this one.
      const next = state.view.count === 0 ? show(state, { count: undefined, rows: undefined }) : state
      return refresh({ ...next, content: 'unread' }, ['watch tables'])
    }
    case 'tables changed':
      return refresh(state.content === 'unread' ? state : { ...state, content: 'outdated' })
    case 'groups toggled':
      return refresh(state.content === 'read' && state.view.levels > 0 ? { ...state, content: 'toggled' } : state)
    case 'scrolled':
      return fill(state)
    case 'first rows read': {
      // Keeps the previous view's length, if any, so that the content below does not flicker.
      const { rows, isAll } = event
      const length = isAll ? { count: rows, rows } : { count: undefined, rows: Math.max(rows, state.view.rows ?? 0) }
      return stay(show({ ...state, content: isAll ? 'read' : 'outdated' }, { ...length, levels: 0, error: undefined }))
    }
    case 'rows read': {
      const { count, hasChanged } = event
      const { view } = state
      const next: RowWindowsState = { ...state, content: 'read' }
      const isSame = !hasChanged && !view.error && view.levels === 0 && view.count === count && view.rows === count
      return stay(isSame ? next : show(next, { count, rows: count, levels: 0, error: undefined }))
    }
    case 'groups read': {
      const { records: count, places: rows, levels } = event
      return stay(show({ ...state, content: 'read' }, { count, rows, levels, error: undefined }))
    }
    case 'rows changed':
      return stay(show(state, {}))
    case 'failed':
      return stay(show(state, { error: event.error }))
    case 'refresh ended':
      return fill({ ...state, isRefreshing: false })
    case 'fill ended':
      return stay({ ...state, isFilling: false })
    case 'closed':
      return { state: { ...state, kind: 'closed', generation: state.generation + 1 }, effects: ['release everything'] }
  }
}

/** Whether results requested in a generation still apply to the view. */
export function isCurrent(state: RowWindowsState, generation: number): boolean {
  return state.generation === generation
}

/** Starts a refresh unless one is running, because the local database answers queries one by one. A running refresh notices the new generation. */
function refresh(state: RowWindowsState, before: readonly RowWindowsEffect[] = NONE): Transition {
  return {
    state: { ...state, generation: state.generation + 1, isRefreshing: true },
    effects: state.isRefreshing ? before : [...before, 'start refresh'],
  }
}

function fill(state: RowWindowsState): Transition {
  if (state.isFilling || state.isRefreshing) return stay(state)
  return { state: { ...state, isFilling: true }, effects: ['start fill'] }
}

function show(state: RowWindowsState, part: Partial<WindowsState>): RowWindowsState {
  return { ...state, view: { ...state.view, ...part, version: state.view.version + 1 } }
}

function stay(state: RowWindowsState): Transition {
  return { state, effects: NONE }
}
