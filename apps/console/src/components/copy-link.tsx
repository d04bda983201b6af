import { Copy } from 'lucide-react'
import type { JSX, ReactNode } from 'react'
import { Button, copyText, TextField } from '@holdfast/workspace'

/** A link that is shown once, with a button that copies it. */
export function CopyLink({
  link,
  label,
  children,
}: {
  readonly link: string
  readonly label: string
  readonly children: ReactNode
}): JSX.Element {
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted">{children}</p>
      <div className="flex items-end gap-2">
        <TextField label={label} value={link} isReadOnly isMono className="min-w-0 flex-1" />
        <Button icon={<Copy size={16} aria-hidden />} onPress={() => void copyText(link, 'Copied')}>
          Copy
        </Button>
      </div>
    </div>
  )
}
