import { Plus, X } from 'lucide-react'
import type { JSX } from 'react'
import { IconButton } from '@holdfast/workspace'
import { addTab, closeTab, type SqlTabs } from './tabs.ts'

/** The tabs of the editor. */
export function TabBar({
  state,
  onChange,
}: {
  readonly state: SqlTabs
  readonly onChange: (state: SqlTabs) => void
}): JSX.Element {
  return (
    <div className="flex flex-wrap items-center gap-1">
      {state.tabs.map(({ id, title }) => (
        <span
          key={id}
          className={`flex items-center rounded-md ${id === state.selected ? 'bg-accent-soft text-accent' : 'text-muted'}`}
        >
          <button
            type="button"
            aria-current={id === state.selected}
            className="h-8 px-3 coarse:h-11"
            onClick={() => onChange({ ...state, selected: id })}
          >
            {title}
          </button>
          <IconButton
            label={`Close ${title}`}
            size="sm"
            icon={<X size={14} aria-hidden />}
            onPress={() => onChange(closeTab(state, id))}
          />
        </span>
      ))}
      <IconButton label="New tab" icon={<Plus size={16} aria-hidden />} onPress={() => onChange(addTab(state))} />
    </div>
  )
}
