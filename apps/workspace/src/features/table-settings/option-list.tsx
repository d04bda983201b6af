import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react'
import { type JSX, useId } from 'react'
import { Button } from '../../components/button.tsx'
import { paletteClass } from '../../components/chip.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Menu, MenuItem, MenuTrigger } from '../../components/menu.tsx'
import { fieldLabelClass, TextField } from '../../components/text-field.tsx'
import { cx } from '../../lib/cx.ts'
import { choiceLooks } from '../../lib/fields/choice-looks.ts'
import { PALETTE, type PaletteColour } from '../../lib/palette.ts'
import { tableSettingsMessages as words } from '../../messages/table-settings.ts'
import { type EditedOption, wordOf } from './field-edits.ts'

/** The options of a field: texts, colours and order. */
export function OptionList({
  options,
  onChange,
}: {
  readonly options: readonly EditedOption[]
  readonly onChange: (options: readonly EditedOption[]) => void
}): JSX.Element {
  const id = useId()
  const move = (place: number, by: number): void => {
    const moved = options[place]
    if (moved) onChange(options.toSpliced(place, 1).toSpliced(place + by, 0, moved))
  }
  return (
    <div role="group" aria-labelledby={id} className="flex flex-col gap-2">
      <span id={id} className={fieldLabelClass}>
        {words.options}
      </span>
      <ul className="flex flex-col gap-2">
        {options.map((option, place) => {
          const name = option.text.trim() === '' ? words.optionAt(place + 1) : option.text
          return (
            // Options have no other identity than their place in the list.
            <li key={option.was ?? `new ${place}`} className="flex items-center gap-1">
              <TextField
                className="min-w-0 flex-1"
                label={words.optionAt(place + 1)}
                isLabelHidden
                maxLength={100}
                value={option.text}
                onChange={(text) => onChange(options.with(place, { ...option, text }))}
              />
              <ColourMenu
                option={option}
                name={name}
                among={options.map(wordOf)}
                onChange={(colour) => onChange(options.with(place, { ...option, colour }))}
              />
              <IconButton
                label={words.up(name)}
                icon={<ArrowUp size={16} aria-hidden />}
                isDisabled={place === 0}
                onPress={() => move(place, -1)}
              />
              <IconButton
                label={words.down(name)}
                icon={<ArrowDown size={16} aria-hidden />}
                isDisabled={place === options.length - 1}
                onPress={() => move(place, 1)}
              />
              <IconButton
                label={words.removeOption(name)}
                icon={<X size={16} aria-hidden />}
                onPress={() => onChange(options.toSpliced(place, 1))}
              />
            </li>
          )
        })}
      </ul>
      <Button
        size="sm"
        className="self-start"
        icon={<Plus size={14} aria-hidden />}
        onPress={() => onChange([...options, { was: undefined, text: '' }])}
      >
        {words.addOption}
      </Button>
    </div>
  )
}

const AUTOMATIC = 'automatic'

function ColourMenu({
  option,
  name,
  among,
  onChange,
}: {
  readonly option: EditedOption
  readonly name: string
  readonly among: readonly string[]
  readonly onChange: (colour: PaletteColour | undefined) => void
}): JSX.Element {
  const { colour } = option
  const automatic = choiceLooks(wordOf(option), among).colour
  return (
    <MenuTrigger>
      <IconButton
        label={words.colourOf(name, words.colours[colour ?? AUTOMATIC])}
        icon={<Swatch colour={colour ?? automatic} />}
      />
      <Menu
        label={words.colour(name)}
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[colour ?? AUTOMATIC]}
        onAction={(key) => onChange(PALETTE.find((one) => one === key))}
      >
        <MenuItem id={AUTOMATIC} icon={<Swatch colour={automatic} />}>
          {words.colours[AUTOMATIC]}
        </MenuItem>
        {PALETTE.map((one) => (
          <MenuItem key={one} id={one} icon={<Swatch colour={one} />}>
            {words.colours[one]}
          </MenuItem>
        ))}
      </Menu>
    </MenuTrigger>
  )
}

function Swatch({ colour }: { readonly colour: PaletteColour }): JSX.Element {
  return (
    <span aria-hidden className={cx('size-4 shrink-0 rounded-full border-2 border-current', paletteClass(colour))} />
  )
}
