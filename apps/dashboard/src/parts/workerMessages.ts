import { catalogue } from '../i18n/index.ts';

export const workerMessages = catalogue(
  {
    title: 'Workers',
    none: 'No worker is alive. Tasks wait safely. Start a worker, or set GALLEY_WORKERS above 0 and restart.',
    worker: 'Worker',
    queues: 'Queues',
    slots: 'Slots',
    tasksNow: 'Tasks now',
    heartbeat: 'Heartbeat',
    memory: 'Memory',
    up: 'Up',
    andMore: (count: string) => `and ${count} more`,
    idle: 'idle',
  },
  {
    title: '工作进程',
    none: '没有在线的工作进程。任务会安全等待。请启动一个工作进程，或将 GALLEY_WORKERS 设为大于 0 后重启。',
    worker: '工作进程',
    queues: '队列',
    slots: '槽位',
    tasksNow: '正在运行',
    heartbeat: '心跳',
    memory: '内存',
    up: '已运行',
    andMore: (count) => `等 ${String(Number(count.replaceAll(',', '')) + 1)} 个`,
    idle: '空闲',
  },
);
