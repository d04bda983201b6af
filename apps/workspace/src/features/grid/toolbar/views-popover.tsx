import { ChevronDown } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { lateContent, lateLayer } from '../../../components/late-content.tsx'
import { Popover, PopoverTrigger } from '../../../components/popover.tsx'
import { viewMessages as words } from '../../../messages/views.ts'
import type { ShareLinkProps } from '../share-link/share-link-dialog.tsx'
import type { ViewsProps } from './views-panel.tsx'

export const viewsPanel = lateContent<ViewsProps>(async () => (await import('./views-panel.tsx')).ViewsPanel)

/** Loaded on demand because few share pages. */
const shareLink = lateLayer<ShareLinkProps>(
  async () => (await import('../share-link/share-link-dialog.tsx')).ShareLinkDialog,
)

/** The view's name. Opens the list of views and the actions on this one. */
export function ViewsPopover({ table, view }: Omit<ViewsProps, 'onSharePage'>): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  /** The workspace whose page is being shared. */
  const [sharedBy, setSharedBy] = useState<string>()
  const name = view.saved?.name ?? words.all(table.many)
  return (
    <>
      <PopoverTrigger isOpen={isOpen} onOpenChange={setOpen}>
        <AriaButton
          aria-label={words.current(name)}
          className="inline-flex h-8 min-w-0 shrink items-center gap-1 rounded-md px-2 text-small font-medium text-muted data-hovered:bg-hover data-hovered:text-text data-pressed:bg-pressed coarse:h-11"
        >
          <span className="max-w-48 truncate">{name}</span>
          {view.isChanged ? <span className="shrink-0 whitespace-nowrap text-accent">· {words.changed}</span> : null}
          <ChevronDown size={14} aria-hidden className="shrink-0" />
        </AriaButton>
        <Popover label={words.viewsOf(table.label)} placement="bottom start" className="w-80 p-2">
          <viewsPanel.Content
            {...{ table, view }}
            onSharePage={(workspace) => {
              setOpen(false)
              setSharedBy(workspace)
            }}
          />
        </Popover>
      </PopoverTrigger>
      {sharedBy === undefined ? null : (
        <shareLink.Content {...{ table, view }} workspace={sharedBy} onClose={() => setSharedBy(undefined)} />
      )}
    </>
  )
}
