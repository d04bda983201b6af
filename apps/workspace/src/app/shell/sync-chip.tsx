import { useEffect, useRef, useState, type JSX } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { Spinner } from '../../components/spinner.tsx'
import { StateGlyph } from '../../components/state-glyph.tsx'
import { lateContent } from '../../components/late-content.tsx'
import { Popover, PopoverTrigger } from '../../components/popover.tsx'
import { VisuallyHidden } from '../../components/visually-hidden.tsx'
import { cx } from '../../lib/cx.ts'
import type { ChipLooks } from '../../lib/data/sync-chip.ts'
import { shellMessages as words } from '../../messages/shell.ts'
import { syncMenuMessages as menuWords } from '../../messages/sync-menu.ts'
import type { SyncMenuProps } from './sync-menu.tsx'

const syncMenu = lateContent(async () => (await import('./sync-menu.tsx')).SyncMenu)

/** Minimum interval in ms between announcements. */
const ANNOUNCE_EVERY_MS = 10_000

const TONES: Readonly<Record<ChipLooks['tone'], string>> = {
  quiet: 'border-border text-muted',
  info: 'border-transparent bg-info-soft text-info',
  warning: 'border-transparent bg-warning-soft text-warning',
  danger: 'border-transparent bg-danger-soft text-danger',
}

/** The sync state as a shape and text, always in the same place. Opens the sync menu. */
export function SyncChip(menu: SyncMenuProps): JSX.Element {
  const { looks } = menu
  const { polite, assertive } = useAnnouncement(looks)
  return (
    <>
      <PopoverTrigger>
        <AriaButton
          aria-label={`${words.sync}: ${looks.text}`}
          className="group inline-flex h-7 max-w-[14rem] min-w-0 items-center rounded-full coarse:h-11"
        >
          {/* The touch target is taller than the visible chip. */}
          <span
            className={cx(
              'inline-flex h-7 min-w-0 items-center gap-1.5 rounded-full border px-2.5 text-small font-medium whitespace-nowrap tabular-nums transition-colors coarse:h-8',
              'group-data-hovered:brightness-97 forced:border-[ButtonText]',
              TONES[looks.tone],
            )}
          >
            {looks.glyph === 'spinner' ? <Spinner size={14} /> : <StateGlyph name={looks.glyph} size={14} />}
            <span className="truncate">{looks.text}</span>
          </span>
        </AriaButton>
        {/* The panel closes when a link is followed, like a menu. */}
        <Popover label={menuWords.menu} placement="bottom end" className="w-80 p-4">
          <syncMenu.Content {...menu} />
        </Popover>
      </PopoverTrigger>
      <VisuallyHidden>
        <span role="status" aria-live="polite">
          {polite}
        </span>
        <span role="alert">{assertive}</span>
      </VisuallyHidden>
    </>
  )
}

/**
 * Returns the screen reader announcements: state changes at most every 10 s, latest first, but rejected changes at once. The initial state is not announced.
 */
function useAnnouncement({ kind, text }: ChipLooks): { readonly polite: string; readonly assertive: string } {
  const [polite, setPolite] = useState('')
  const [assertive, setAssertive] = useState('')
  const last = useRef<{ kind: string; at: number }>({ kind, at: 0 })
  // Announcements and their timing are outside React.
  useEffect(() => {
    if (last.current.kind === kind) return
    if (kind === 'sending' || kind === 'waiting' || kind === 'connecting') return
    const speak = (): void => {
      last.current = { kind, at: Date.now() }
      if (kind === 'attention') setAssertive(text)
      else {
        setAssertive('')
        setPolite(text)
      }
    }
    const waitMs = kind === 'attention' ? 0 : Math.max(0, last.current.at + ANNOUNCE_EVERY_MS - Date.now())
    const timer = setTimeout(speak, waitMs)
    return () => clearTimeout(timer)
  }, [kind, text])
  return { polite, assertive }
}
