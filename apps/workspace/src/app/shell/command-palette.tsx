import { Search } from 'lucide-react'
import { type JSX, type KeyboardEvent, useEffect, useState } from 'react'
import { Autocomplete } from 'react-aria-components/Autocomplete'
import { Collection } from 'react-aria-components/Collection'
import { Dialog as AriaDialog } from 'react-aria-components/Dialog'
import { Header } from 'react-aria-components/Header'
import { Input } from 'react-aria-components/Input'
import { Menu, MenuItem, MenuSection } from 'react-aria-components/Menu'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { TextField } from 'react-aria-components/TextField'
import { Kbd } from '../../components/kbd.tsx'
import { optionClass } from '../../components/option-class.ts'
import { cx } from '../../lib/cx.ts'
import { filterCommands } from '../../lib/filter-commands.ts'
import { paletteMessages as words } from '../../messages/palette.ts'
import { searchMessages as searchWords } from '../../messages/search.ts'
import type { PaletteCommand } from './palette-command.ts'
import { type RecordHit, useRecordHits } from '../../lib/search/use-record-hits.ts'
import { IndexNote } from '../../components/index-note.tsx'

/** `⌘K`: opens tables and screens, runs commands and finds records. Searches only data on this device. */
export function CommandPalette({
  isOpen,
  onClose,
  commands,
  typed,
  onOpenRecord,
  onSearch,
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly commands: readonly PaletteCommand[]
  /** The initial text. */
  readonly typed: string
  readonly onOpenRecord: (table: string, recordId: string) => void
  /** Opens the full search. */
  readonly onSearch: (text: string) => void
}): JSX.Element {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      isDismissable
      className="fixed inset-0 z-50 flex h-(--visual-viewport-height) justify-center bg-scrim px-3 pt-[max(0.75rem,12vh)] data-entering:animate-fade"
    >
      <Modal className="flex h-fit max-h-[min(32rem,80%)] w-full max-w-xl flex-col overflow-hidden rounded-lg border border-border bg-raised shadow-dialog">
        <AriaDialog aria-label={words.title} className="flex min-h-0 flex-col outline-none">
          <Palette
            commands={commands}
            typed={typed}
            onClose={onClose}
            onOpenRecord={onOpenRecord}
            onSearch={onSearch}
          />
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

/** Results that fit on screen. The rest renders after the first paint. */
const FIRST_DRAWN = 12

/** Remounts with each opening, so that it starts without the previous text. */
function Palette({
  commands,
  typed,
  onClose,
  onOpenRecord,
  onSearch,
}: {
  readonly commands: readonly PaletteCommand[]
  readonly typed: string
  readonly onClose: () => void
  readonly onOpenRecord: (table: string, recordId: string) => void
  readonly onSearch: (text: string) => void
}): JSX.Element {
  const [text, setText] = useState(typed)
  const { hits, isReading } = useRecordHits(text)
  const records = hits.map((hit) => openRecord(hit, onOpenRecord))
  const found = [...filterCommands(commands, text), ...records]
  // Enter selects the first result, which must not be the full search while records are still loading.
  const shown = [...found, ...(isReading ? [] : everywhere(text.trim(), found.length === 0, onSearch))]
  const drawn = useAfterPaint() ? shown : shown.slice(0, FIRST_DRAWN)
  const sections = Map.groupBy(drawn, (command) => command.section)

  const run = (command: PaletteCommand | undefined): void => {
    onClose()
    command?.run()
  }
  // Escape closes at once instead of first clearing the field. Enter selects the first result if none is marked, because results that arrive after typing are
  // not marked automatically.
  const onKeyDown = (event: KeyboardEvent): void => {
    const isTaken = event.key === 'Enter' && event.target instanceof HTMLInputElement && !hasMarked(event.target)
    if (event.key !== 'Escape' && (!isTaken || (shown.length === 0 && text === ''))) return
    event.preventDefault()
    event.stopPropagation()
    run(isTaken ? shown[0] : undefined)
  }

  return (
    <div className="flex min-h-0 flex-col" onKeyDownCapture={onKeyDown}>
      <Autocomplete inputValue={text} onInputChange={setText}>
        <TextField aria-label={words.field} autoFocus className="flex items-center gap-3 border-b border-border px-4">
          <Search size={18} aria-hidden className="text-muted" />
          <Input
            placeholder={words.placeholder}
            className="h-12 min-w-0 flex-1 bg-transparent text-heading font-regular outline-none focus-visible:shadow-none focus-visible:outline-none [&::-webkit-search-cancel-button]:hidden"
          />
          <Kbd>Esc</Kbd>
        </TextField>
        {/* Focusable, so that the arrow keys scroll it. */}
        <div tabIndex={0} className="focus-inset min-h-0 flex-1 overflow-auto rounded-b-lg">
          <Menu
            aria-label={words.results}
            className="p-1.5 outline-none"
            onAction={(key) => run(shown.find(({ id }) => id === key))}
            renderEmptyState={() => (
              <p className="px-3 py-8 text-center text-body text-muted">
                {text.trim() === '' ? words.typeToSearch : isReading ? '' : words.noMatch(text.trim())}
              </p>
            )}
          >
            {[...sections].map(([title, items]) => (
              <MenuSection key={title} id={`section:${title}`} className="pb-1">
                <Header className="px-2 pt-2 pb-1 text-small font-medium text-muted">{title}</Header>
                <Collection items={items}>
                  {(command) => (
                    <MenuItem
                      id={command.id}
                      textValue={command.label}
                      className={cx(optionClass, 'data-focused:bg-accent-soft')}
                    >
                      <Result command={command} />
                    </MenuItem>
                  )}
                </Collection>
              </MenuSection>
            ))}
          </Menu>
        </div>
      </Autocomplete>
      {text.trim() === '' ? null : (
        <IndexNote className="border-t border-border px-4 py-2 text-small text-muted tabular-nums" />
      )}
    </div>
  )
}

function openRecord(
  { table, tableLabel, recordId, title, code, facts }: RecordHit,
  onOpen: (table: string, recordId: string) => void,
): PaletteCommand {
  return {
    id: `record:${table}/${recordId}`,
    label: title,
    section: tableLabel,
    ...(code === undefined && facts === '' ? {} : { detail: [facts, code].filter(Boolean).join(' · ') }),
    run: () => onOpen(table, recordId),
  }
}

/** Returns the command for the full search once text was typed. Its heading says if nothing else matches. */
function everywhere(typed: string, isAlone: boolean, onSearch: (text: string) => void): readonly PaletteCommand[] {
  if (typed === '') return []
  const label = searchWords.searchFor(typed)
  const section = isAlone ? words.noMatch(typed) : searchWords.title
  const icon = <Search size={16} aria-hidden />
  return [{ id: 'search-everywhere', label, section, icon, run: () => onSearch(typed) }]
}

function Result({ command }: { readonly command: PaletteCommand }): JSX.Element {
  const { label, icon, detail } = command
  return (
    <>
      <span className="flex w-5 justify-center text-muted">{icon}</span>
      <span className="flex-1 truncate">{label}</span>
      {detail === undefined ? null : (
        <span className="max-w-[50%] truncate text-small text-muted tabular-nums">{detail}</span>
      )}
    </>
  )
}

/** Whether a result still in the list is marked. */
function hasMarked(input: HTMLInputElement): boolean {
  const id = input.getAttribute('aria-activedescendant')
  return id !== null && document.getElementById(id) !== null
}

/** Whether the first render has been painted, so that results below the fold can follow. */
function useAfterPaint(): boolean {
  const [isPainted, setPainted] = useState(false)
  // Painting happens in the browser.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => (timer = setTimeout(() => setPainted(true))))
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [])
  return isPainted
}
