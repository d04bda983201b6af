export const accountMessages = {
  appearanceTitle: 'Appearance',
  appearanceLead: 'These settings stay on this device.',
  theme: 'Theme',
  themes: { system: 'Like the system', light: 'Light', dark: 'Dark' },
  density: 'Row height',
  densities: {
    automatic: { label: 'Automatic', detail: 'Larger under a finger' },
    compact: { label: 'Compact', detail: '28 pixels' },
    standard: { label: 'Standard', detail: '34 pixels' },
    relaxed: { label: 'Relaxed', detail: '44 pixels' },
  },
  motion: 'Motion',
  motions: { system: 'Like the system', reduced: 'Reduced' },
  shortcutsTitle: 'Keyboard shortcuts',
  letterShortcuts: 'Single-letter shortcuts',
  letterShortcutsDetail: 'Switch them off when speech input or a switch device triggers them by accident.',
} as const
