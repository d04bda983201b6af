import { X } from 'lucide-react'
import { type JSX, useEffect } from 'react'
import { create } from 'zustand'
import { commonMessages } from '../messages/common.ts'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'

export interface ToastContent {
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => void }
}

interface Toast extends ToastContent {
  readonly id: number
}

const TOAST_MS = 6_000
const TOAST_WITH_ACTION_MS = 12_000
const TOASTS_MAX = 3

const useToasts = create<{ readonly toasts: readonly Toast[] }>(() => ({ toasts: [] }))
let lastId = 0

/** Says in passing that something was done: 6 s, with an action 12 s. Never for errors; those stay where they happened. */
export function showToast(content: ToastContent): void {
  lastId += 1
  const toast = { ...content, id: lastId }
  useToasts.setState(({ toasts }) => ({ toasts: [...toasts, toast].slice(-TOASTS_MAX) }))
}

function dismiss(id: number): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }))
}

/** Where toasts appear; once, in the shell. */
export function ToastRegion(): JSX.Element {
  const toasts = useToasts((state) => state.toasts)
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-0 print:hidden bottom-16 z-50 flex flex-col items-center gap-2 px-4 tablet:bottom-10"
    >
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

function ToastCard({ toast }: { readonly toast: Toast }): JSX.Element {
  const { id, action } = toast
  // A timer is a subscription to time; it ends with the card.
  useEffect(() => {
    const timer = setTimeout(() => dismiss(id), action ? TOAST_WITH_ACTION_MS : TOAST_MS)
    return () => clearTimeout(timer)
  }, [id, action])
  return (
    <div className="pointer-events-auto flex max-w-lg animate-rise items-center gap-3 rounded-lg border border-border bg-raised py-1.5 pr-1.5 pl-4 text-body text-text shadow-popover">
      <span>{toast.text}</span>
      {action === undefined ? null : (
        <Button
          size="sm"
          onPress={() => {
            dismiss(id)
            action.run()
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton
        label={commonMessages.dismiss}
        size="sm"
        hasTooltip={false}
        icon={<X size={16} aria-hidden />}
        onPress={() => dismiss(id)}
      />
    </div>
  )
}
