import { X } from 'lucide-react'
import type { JSX, ReactNode } from 'react'
import { cx } from '../lib/cx.ts'
import { commonMessages } from '../messages/common.ts'
import { IconButton } from './icon-button.tsx'

const LOOKS = {
  info: 'bg-info-soft text-info',
  warning: 'bg-warning-soft text-warning',
  danger: 'bg-danger-soft text-danger',
} as const

/** A line above the content. */
export function Banner({
  tone = 'info',
  children,
  action,
  onDismiss,
}: {
  readonly tone?: keyof typeof LOOKS
  readonly children: ReactNode
  readonly action?: ReactNode
  readonly onDismiss?: () => void
}): JSX.Element {
  return (
    <div
      role="status"
      className={cx(
        'flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5 text-body forced:border-b',
        LOOKS[tone],
      )}
    >
      <p className="min-w-0 flex-1 basis-52">{children}</p>
      {action}
      {onDismiss === undefined ? null : (
        <IconButton label={commonMessages.dismiss} size="sm" icon={<X size={16} aria-hidden />} onPress={onDismiss} />
      )}
    </div>
  )
}
