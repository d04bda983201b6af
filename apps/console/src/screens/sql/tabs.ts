/** A tab of the editor. */
export interface SqlTab {
  readonly id: string
  readonly title: string
  readonly text: string
  /** The operator's saved query that the tab shows. */
  readonly savedId?: string
}

export interface SqlTabs {
  readonly tabs: readonly SqlTab[]
  readonly selected: string
}

const KEY = 'holdfast-console-sql'

export function newTabs(): SqlTabs {
  const tab = { id: crypto.randomUUID(), title: 'Query 1', text: '' }
  return { tabs: [tab], selected: tab.id }
}

/** Adds a tab with a text and selects it. */
export function addTab({ tabs }: SqlTabs, text = ''): SqlTabs {
  const numbers = tabs.map(({ title }) => Number(/^Query (\d+)$/.exec(title)?.[1] ?? 0))
  const tab = { id: crypto.randomUUID(), title: `Query ${Math.max(0, ...numbers) + 1}`, text }
  return { tabs: [...tabs, tab], selected: tab.id }
}

/** Shows a query in a tab: in the one that has it, in the selected one if that is empty, or in a new one. */
export function openInTab(
  state: SqlTabs,
  { title, text, savedId }: Partial<SqlTab> & { readonly text: string },
): SqlTabs {
  const known = savedId === undefined ? undefined : state.tabs.find((tab) => tab.savedId === savedId)
  if (known)
    return {
      tabs: state.tabs.map((tab) => (tab === known ? { ...tab, title: title ?? tab.title } : tab)),
      selected: known.id,
    }
  const added = addTab(state, text)
  const before = state.tabs.find(({ id }) => id === state.selected)
  const isReplaced = before?.text.trim() === '' && before.savedId === undefined
  const tabs = added.tabs.map((tab) =>
    tab.id === added.selected
      ? {
          ...tab,
          title: title ?? (isReplaced ? before.title : tab.title),
          ...(savedId !== undefined && { savedId }),
        }
      : tab,
  )
  return { tabs: isReplaced ? tabs.filter(({ id }) => id !== before.id) : tabs, selected: added.selected }
}

/** Marks a tab as the operator's saved query of that name. */
export function nameTab(state: SqlTabs, id: string, { title, savedId }: { title: string; savedId: string }): SqlTabs {
  return { ...state, tabs: state.tabs.map((tab) => (tab.id === id ? { ...tab, title, savedId } : tab)) }
}

/** Closes a tab and selects its neighbour. The last one is emptied. */
export function closeTab(state: SqlTabs, id: string): SqlTabs {
  const at = state.tabs.findIndex((tab) => tab.id === id)
  const tabs = state.tabs.filter((tab) => tab.id !== id)
  const neighbour = tabs[Math.max(0, at - 1)]
  if (!neighbour) return newTabs()
  return { tabs, selected: state.selected === id ? neighbour.id : state.selected }
}

export function changeTab(state: SqlTabs, id: string, text: string): SqlTabs {
  return { ...state, tabs: state.tabs.map((tab) => (tab.id === id ? { ...tab, text } : tab)) }
}

/** Reads the tabs of this browser tab. They end with it, because queries may name people. */
export function readTabs(): SqlTabs {
  try {
    const stored = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as SqlTabs | null
    const isWhole = stored?.tabs.some(({ id }) => id === stored.selected)
    return isWhole && stored ? stored : newTabs()
  } catch {
    return newTabs() // storage is off, or holds something else
  }
}

export function storeTabs(state: SqlTabs): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(state))
  } catch {
    // Storage is off or full: the tabs live as long as the page.
  }
}
