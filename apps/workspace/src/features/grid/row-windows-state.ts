/** The rows of a view as the screen shows them. */
export interface WindowsState {
  /** Rows of the view; `undefined` before the first count. */
  readonly count: number | undefined
  /** Places that can be shown, rows and headers of groups: all of the view, or until they are counted those that have been read. `undefined`: none have. */
  readonly rows: number | undefined
  readonly error: Error | undefined
  /** Of groups; 0: the view is not grouped, and each place has a row. */
  readonly levels: number
  /** Grows with every change of the rows that are here. */
  readonly version: number
}

/** How much of the rows that are here is the view's. */
type Content =
  /** Nothing of this view has been read. */
  | 'unread'
  /** The tables may have changed since, or the rows have not been counted. */
  | 'outdated'
  | 'read'
  /** The groups are as they were read; only which are collapsed has changed. */
  | 'toggled'

/** What has been read of a view, and what reads it. Refreshing and filling are independent: one window may be on its way when a refresh begins. */
export interface RowWindowsState {
  readonly kind: 'open' | 'closed'
  /** What was read in an older generation is of another view or another moment. */
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
  /** Other rows are visible. */
  | { readonly kind: 'scrolled' }
  | { readonly kind: 'first rows read'; readonly rows: number; readonly isAll: boolean }
  | { readonly kind: 'rows read'; readonly count: number; readonly hasChanged: boolean }
  | { readonly kind: 'groups read'; readonly records: number; readonly places: number; readonly levels: number }
  /** Of one window, or of one row. */
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

/** Applies an event. Events that tell of rows are sent only while {@link isCurrent} of the generation they were asked for in. */
export function transition(state: RowWindowsState, event: RowWindowsEvent): Transition {
  if (state.kind === 'closed') return { state, effects: NONE }
  switch (event.kind) {
    case 'view changed': {
      // That nothing fitted the last view says nothing about this one.
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
      // The length of the last view is kept, if there was one, so that what is below does not come and go.
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

/** Whether what was asked for in a generation still tells how the view is. */
export function isCurrent(state: RowWindowsState, generation: number): boolean {
  return state.generation === generation
}

/** One refresh at a time: a local database answers one question after the other. The one that is under way notices the new generation. */
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
