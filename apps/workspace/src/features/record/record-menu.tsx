import { LayoutList, Link2, MoreHorizontal, Printer, Trash2, UserPlus } from 'lucide-react'
import type { JSX } from 'react'
import { IconButton } from '../../components/icon-button.tsx'
import { Menu, MenuItem, MenuTrigger } from '../../components/menu.tsx'
import { arrangeMessages } from '../../messages/arrange.ts'
import { printMessages } from '../../messages/print.ts'
import { recordMessages as words } from '../../messages/record.ts'
import { shareMessages } from '../../messages/shares.ts'
import { copyText } from '../../components/copy-text.ts'

/** Actions on the whole record. */
export function RecordMenu({
  noun,
  path,
  onPrint,
  onShare,
  onArrange,
  onDelete,
}: {
  /** The table's word for one record. */
  readonly noun: string
  /** The record's path in this app. */
  readonly path: string
  /** Opens the record as a document. */
  readonly onPrint: () => void
  /** Opens the sharing dialog. `undefined`: not possible or not allowed. */
  readonly onShare: (() => void) | undefined
  /** Opens the field arrangement. `undefined`: not allowed. */
  readonly onArrange: (() => void) | undefined
  /** `undefined`: not allowed. */
  readonly onDelete: (() => void) | undefined
}): JSX.Element {
  return (
    <MenuTrigger>
      <IconButton label={words.more} icon={<MoreHorizontal size={18} aria-hidden />} />
      <Menu label={words.more}>
        <MenuItem icon={<Link2 size={16} aria-hidden />} onAction={() => void copyLink(path)}>
          {words.copyLink}
        </MenuItem>
        {onShare ? (
          <MenuItem icon={<UserPlus size={16} aria-hidden />} onAction={onShare}>
            {shareMessages.open}
          </MenuItem>
        ) : null}
        <MenuItem icon={<Printer size={16} aria-hidden />} onAction={onPrint}>
          {printMessages.open}
        </MenuItem>
        {onArrange ? (
          <MenuItem icon={<LayoutList size={16} aria-hidden />} onAction={onArrange}>
            {arrangeMessages.open}
          </MenuItem>
        ) : null}
        {onDelete ? (
          <MenuItem isDanger icon={<Trash2 size={16} aria-hidden />} onAction={onDelete}>
            {words.delete(noun)}
          </MenuItem>
        ) : null}
      </Menu>
    </MenuTrigger>
  )
}

function copyLink(path: string): Promise<void> {
  return copyText(`${location.origin}${path}`, words.copied)
}
