import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { PostgreSQL, sql, type SQLNamespace } from '@codemirror/lang-sql'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'

export interface EditorOptions {
  readonly parent: ShadowRoot
  readonly text: string
  readonly label: string
  readonly onChange: (text: string) => void
  /** @param selected - the selected text, if any */
  readonly onRun: (selected: string | undefined) => void
}

export interface SqlEditorView {
  /** Offers the names of tables and columns. */
  setNames(names: SQLNamespace): void
  /** Selects a character, such as the place of an error. @param position - from 1 */
  select(position: number): void
  /** Returns the selected text; `undefined` if nothing is selected. */
  selected(): string | undefined
  destroy(): void
}

/** Colours of the design, which follow light and dark mode. */
const HIGHLIGHTS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--hf-violet)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--hf-green)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--hf-blue)' },
  { tag: tags.typeName, color: 'var(--hf-teal)' },
  { tag: tags.comment, color: 'var(--hf-subtle)', fontStyle: 'italic' },
])

const THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--hf-text)', backgroundColor: 'var(--hf-bg)' },
  '&.cm-focused': { outline: 'none' }, // drawn around the whole field by its host
  '.cm-scroller': { fontFamily: 'ui-monospace, "DejaVu Sans Mono", monospace', fontSize: '13px', lineHeight: '1.5' },
  '.cm-gutters': { color: 'var(--hf-subtle)', backgroundColor: 'var(--hf-surface)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hf-hover)' },
  '.cm-cursor': { borderLeftColor: 'var(--hf-text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--hf-selection)' },
  '.cm-tooltip, .cm-panels': {
    color: 'var(--hf-text)',
    backgroundColor: 'var(--hf-raised)',
    border: '1px solid var(--hf-border)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { color: 'var(--hf-text)', backgroundColor: 'var(--hf-selection)' },
})

/**
 * Mounts the editor in a shadow root: there its styles are constructed sheets, which a policy without inline styles permits.
 *
 * Tab moves on, as everywhere on the page; Ctrl+Enter or Cmd+Enter runs the selected text, or all of it.
 */
export function createSqlEditor({ parent, text, label, onChange, onRun }: EditorOptions): SqlEditorView {
  const language = new Compartment()
  const languageOf = (names: SQLNamespace) => sql({ dialect: PostgreSQL, schema: names, defaultSchema: 'public' })
  const selectedIn = ({ state }: EditorView): string | undefined => {
    const { from, to } = state.selection.main
    return from === to ? undefined : state.sliceDoc(from, to)
  }
  const run = (view: EditorView): boolean => {
    closeCompletion(view)
    onRun(selectedIn(view))
    return true
  }
  const view = new EditorView({
    parent,
    root: parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ icons: false }),
        highlightActiveLine(),
        highlightSelectionMatches(),
        syntaxHighlighting(HIGHLIGHTS),
        language.of(languageOf({})),
        keymap.of([
          { key: 'Mod-Enter', run, preventDefault: true },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        THEME,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString())
        }),
      ],
    }),
  })
  return {
    setNames: (names) => view.dispatch({ effects: language.reconfigure(languageOf(names)) }),
    select(position) {
      const at = Math.min(Math.max(0, position - 1), view.state.doc.length)
      view.dispatch({ selection: { anchor: at }, scrollIntoView: true })
      view.focus()
    },
    selected: () => selectedIn(view),
    destroy: () => view.destroy(),
  }
}
