import { CircleCheck, Info, OctagonAlert, TriangleAlert } from 'lucide-react'
import type { JSX, ReactNode } from 'react'
import { cx } from '../lib/cx.ts'

export type NoticeTone = 'info' | 'success' | 'warning' | 'danger'

const LOOKS: Readonly<Record<NoticeTone, { readonly box: string; readonly icon: JSX.Element }>> = {
  info: { box: 'bg-info-soft text-info', icon: <Info size={18} aria-hidden /> },
  success: { box: 'bg-success-soft text-success', icon: <CircleCheck size={18} aria-hidden /> },
  warning: { box: 'bg-warning-soft text-warning', icon: <TriangleAlert size={18} aria-hidden /> },
  danger: { box: 'bg-danger-soft text-danger', icon: <OctagonAlert size={18} aria-hidden /> },
}

export interface NoticeProps {
  readonly tone?: NoticeTone
  readonly title: ReactNode
  readonly children?: ReactNode
  readonly actions?: ReactNode
  /** `alert` interrupts a screen reader, `status` waits. Default: plain text. */
  readonly role?: 'alert' | 'status'
  readonly className?: string
}

/** An inline notice. Icon and text carry the meaning; colour is secondary. */
export function Notice({ tone = 'info', title, children, actions, role, className }: NoticeProps): JSX.Element {
  const { box, icon } = LOOKS[tone]
  return (
    <div role={role} className={cx('flex gap-3 rounded-lg px-4 py-3 text-body forced:border', box, className)}>
      <span className="pt-px">{icon}</span>
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <p className="font-medium">{title}</p>
        {children === undefined ? null : <div className="text-text [overflow-wrap:anywhere]">{children}</div>}
        {actions === undefined ? null : <div className="flex flex-wrap gap-2 pt-2">{actions}</div>}
      </div>
    </div>
  )
}
