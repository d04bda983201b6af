export const viewMessages = {
  viewsOf: (table: string) => `Views of ${table}`,
  current: (name: string) => `View: ${name}`,
  all: (many: string) => `All ${many}`,
  changed: 'Changed',
} as const
