import { catalogue } from '../i18n/index.ts';

export const keys = catalogue(
  {
    title: 'Keyboard',
    off: 'Single keys are switched off in System.',
    palette: 'Search or run a command',
    filter: 'Filter the list',
    list: 'This list',
    close: 'Close, then clear the selection',
    groups: { everywhere: 'Everywhere', lists: 'Lists', reader: 'Reader', upload: 'Upload' },
    followedBy: 'then',
  },
  {
    title: '键盘',
    off: '单键快捷键已在系统页关闭。',
    palette: '搜索或运行命令',
    filter: '筛选列表',
    list: '此列表',
    close: '关闭，再清除选择',
    groups: { everywhere: '通用', lists: '列表', reader: '阅读', upload: '上传' },
    followedBy: '再按',
  },
);
