#!/usr/bin/env python3
"""Tests `setwise.spark` on a Spark cluster: a master and two workers, each a process of its own on
the loopback interface. Kills executors, workers and drivers.

    tools/spark-test.py [--rows N] [--rounds N] [--cases REGEX]
    tools/spark-test.py --long       20 million rows, then every case ten times on two million, and
                                     the programs in docs/cluster.md; those of Ray and Dask while a
                                     worker is killed
    tools/spark-test.py --measure [--rows N] [--cases ENGINES]
                                     rows a second by engine and by the size of files

For each case, a SELECT or a write to Parquet runs while a process is killed (SIGKILL) or stopped
(SIGSTOP). The job must return what one process computes, or fail; then the target must be without
`_SUCCESS`. Prints a table of the cases.

Needs a wheel in crates/python/target/wheels (tools/python-test.sh leaves one there), and packages
from PyPI (1 GB). Installs Java if it is missing. Logs: crates/python/target/spark/logs.

Exit code: 0 all right, 1 a case failed, 3 a requirement is missing.
"""
import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / 'crates/python/target'
FOLDER = TARGET / 'spark'
LOGS = FOLDER / 'logs'
DATA, RESULT = FOLDER / 'boards', FOLDER / 'attacks'
#: The virtual environment of the driver and of the workers, and one without the package.
WITH, WITHOUT = FOLDER / 'with', FOLDER / 'without'
PARTS = 12
SELECT = ('SELECT count(*), sum(bit_count(a)), bit_xor(shiftleft(a, CAST(id % 64 AS INT))) '
          'FROM (SELECT id, queen_attacks(queens, occupied) AS a FROM boards)')
TABLE = 'SELECT id, queen_attacks(queens, occupied) AS attacks FROM boards'
#: The limits, in seconds: of a job, of the start of processes, and of the whole test without
#: `--long`.
JOB, START, ALL = 240, 90, 600
#: The exit code of a driver whose write ended before the moment to die.
TOO_LATE = 75
#: A job to be killed takes at least so many seconds, or else there is no time to kill it.
KILLABLE = 1.2
#: Options for Java processes that live for a minute: half of the CPU time.
JAVA = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'
#: The master never gives an application up, because the test loses more executors than a day of
#: real work. It misses a worker after 5 to 10 s, not after a minute. Its REST server would have a
#: fixed port.
DAEMONS = (f'{JAVA} -Dspark.deploy.maxExecutorRetries=-1 -Dspark.worker.timeout=5 '
           '-Dspark.master.rest.enabled=false')


def cannot(reason):
    print(f'spark-test.py: {reason}', file=sys.stderr)
    sys.exit(3)


def install(all_engines):
    """Installs Java and both virtual environments. `WITH` also sees the packages in `WITHOUT`."""
    if not shutil.which('java') and subprocess.run(
            [ROOT / 'tools/install.sh', 'openjdk-17-jre-headless']).returncode:
        cannot('there is no Java')
    wheels = [*(TARGET / 'wheels').glob('*.whl')]
    if len(wheels) != 1:
        cannot('needs a wheel: run tools/python-test.sh first')

    def pip(venv, *packages):
        command = [venv / 'bin/python', '-m', 'pip', 'install', '-q', '--disable-pip-version-check']
        if subprocess.run([*command, *packages], stdout=sys.stderr).returncode:
            cannot(f'pip cannot install {" ".join(map(str, packages))}')

    for venv in [WITHOUT, WITH]:
        if not (venv / 'bin/python').exists() and subprocess.run(
                [sys.executable, '-m', 'venv', venv]).returncode:
            cannot('python3 -m venv fails (on Debian: apt-get install python3-venv)')
    pip(WITHOUT, 'pyspark>=4.1', 'pyarrow', 'pandas')
    (shared,) = WITHOUT.glob('lib/python3*/site-packages')
    # Without these archives, workers import the installed modules, which are compiled: a second
    # less for each executor.
    for archive in shared.glob('pyspark/python/lib/*.zip'):
        archive.unlink()
    (own,) = WITH.glob('lib/python3*/site-packages')
    (own / 'shared.pth').write_text(f'{shared}\n')
    pip(WITH, '--no-deps', '--force-reinstall', wheels[0])
    if all_engines:
        pip(WITH, 'ray[data]', 'dask[dataframe,distributed]')


# ---- Processes ----

def children(pid):
    """The processes that a process has started, and those that they have started."""
    parents = {}
    for stat in Path('/proc').glob('[0-9]*/stat'):
        try:
            fields = stat.read_text().rsplit(')', 1)[1].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, new = [], [pid]
    while new:
        new = [child for parent in new for child in parents.get(parent, [])]
        found += new
    return found


def command(pid):
    try:
        return Path(f'/proc/{pid}/cmdline').read_text().replace('\0', ' ')
    except OSError:
        return ''


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def give_up(reason):
    sys.exit(f'spark-test.py: {reason}. Logs: {LOGS}')


def wait_for(condition, what, state=lambda: ''):
    end = time.monotonic() + START
    while not condition():
        if time.monotonic() > end:
            give_up(f'{what}: not within {START} s {state()}')
        time.sleep(0.02)


def free_port():
    with socket.socket() as socket_:
        socket_.bind(('127.0.0.1', 0))
        return socket_.getsockname()[1]


class Cluster:
    """A master and two workers."""

    def __init__(self):
        import pyspark
        self.home = Path(pyspark.__file__).parent
        self.number = 0
        self.port = free_port()
        self.url = f'spark://127.0.0.1:{self.port}'
        self.master = self.start('master', 'master.Master', '--port', str(self.port))
        wait_for(lambda: not socket.socket().connect_ex(('127.0.0.1', self.port)), 'the master')
        self.workers = [self.worker(), self.worker()]

    def start(self, name, kind, *arguments):
        environment = os.environ | {
            'SPARK_HOME': str(self.home), 'SPARK_LOCAL_IP': '127.0.0.1',
            'SPARK_DAEMON_MEMORY': '512m', 'SPARK_DAEMON_JAVA_OPTS': DAEMONS}
        with (LOGS / f'{name}.log').open('w') as log:
            return subprocess.Popen(
                [self.home / 'bin/spark-class', f'org.apache.spark.deploy.{kind}', *arguments,
                 '--host', '127.0.0.1', '--webui-port', str(free_port())],
                env=environment, stdout=log, stderr=log)

    def worker(self):
        self.number += 1
        folder = LOGS / f'worker-{self.number}'
        worker = self.start(folder.name, 'worker.Worker', self.url, '--cores', '2', '--memory',
                            '3g', '--work-dir', str(folder))
        worker.folder = folder
        return worker

    def machine(self, worker):
        """The processes of a worker's machine, also those whose parent is dead."""
        found = [worker.pid] if worker.poll() is None else []
        for process in Path('/proc').glob('[0-9]*'):
            try:
                if worker.folder in (process / 'cwd').readlink().parents:
                    found.append(int(process.name))
            except OSError:
                pass
        return found

    def executors(self):
        """The executors of each worker."""
        return [[pid for pid in self.machine(worker) if 'CoarseGrainedExecutor' in command(pid)]
                for worker in self.workers]

    def kill(self, worker):
        """Kills all processes of a machine. The worker is first, so that it starts no others."""
        worker.kill()
        worker.wait()
        send(self.machine(worker), signal.SIGKILL)

    def restore(self):
        """Starts new workers for those that have ended. The master must know them before a job
        starts: it then gives each an executor."""
        for i, worker in enumerate(self.workers):
            if worker.poll() is not None:
                self.kill(worker)
                self.workers[i] = self.worker()
        for worker in self.workers:
            log = worker.folder.with_suffix('.log')
            wait_for(lambda: 'Successfully registered with master' in log.read_text(), log.name)

    def stop(self):
        send([self.master.pid], signal.SIGKILL)
        self.master.wait()
        for worker in self.workers:
            self.kill(worker)


def session(url, java=JAVA, executors=2):
    """A session of executors with one thread each."""
    from pyspark.sql import SparkSession
    os.environ['PYSPARK_PYTHON'] = str(WITH / 'bin/python')
    os.environ['SPARK_LOCAL_IP'] = '127.0.0.1'
    settings = {
        'spark.driver.host': '127.0.0.1', 'spark.cores.max': executors, 'spark.executor.cores': 1,
        'spark.executor.memory': '1g', 'spark.ui.enabled': 'false',
        'spark.ui.showConsoleProgress': 'false',
        'spark.sql.files.maxPartitionBytes': '1g', 'spark.sql.files.openCostInBytes': '1g',
        # Python gets the batches of the reader, which are of 4096 rows.
        'spark.sql.parquet.columnarReaderBatchSize': 65_536,
        'spark.sql.execution.arrow.maxRecordsPerBatch': 65_536,
        # A machine that does not answer is lost after 12 s, not after 120 s.
        'spark.network.timeout': '12s', 'spark.executor.heartbeatInterval': '2s',
        'spark.network.timeoutInterval': '1s', 'spark.shuffle.io.retryWait': '1s',
        'spark.executor.extraJavaOptions': java, 'spark.driver.extraJavaOptions': java,
    }
    builder = SparkSession.builder.master(url).appName('setwise')
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel('ERROR')
    import setwise.spark
    setwise.spark.register(spark)
    boards = spark.read.schema('id BIGINT, queens BIGINT, occupied BIGINT').parquet(str(DATA))
    boards.createOrReplaceTempView('boards')
    return spark


# ---- Data, and what one process computes ----

def write_data(rows, files=PARTS):
    """Writes boards to files. Returns the attacks, computed by one process."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    import setwise
    shutil.rmtree(DATA, ignore_errors=True)
    DATA.mkdir(parents=True)
    source = np.random.default_rng(1)
    words = source.integers(0, 2**64, (3, rows), np.uint64)
    queens = np.uint64(1) << (words[0] >> np.uint64(58))
    occupied = words[1] & words[2]
    for i, ids in enumerate(np.array_split(np.arange(rows), files)):
        columns = {'id': ids, 'queens': queens[ids].view(np.int64),
                   'occupied': occupied[ids].view(np.int64)}
        pq.write_table(pa.table(columns), DATA / f'{i:04}.parquet', compression='lz4')
    return setwise.queen_attacks(queens, occupied)


def expected(attacks):
    import numpy as np
    shifted = attacks << (np.arange(len(attacks)) % 64).astype(np.uint64)
    return (len(attacks), int(np.bitwise_count(attacks).sum()),
            int(np.bitwise_xor.reduce(shifted).view(np.int64)))


def read_back(target, attacks):
    """What a reader finds in a folder: `all` rows, `none`, `part` of them, or `wrong` ones."""
    import numpy as np
    import pyarrow.dataset
    names = [path for path in target.glob('*.parquet')]
    if not names:
        return 'none'
    table = pyarrow.dataset.dataset(names).to_table()
    ids = table['id'].to_numpy()
    if len(np.unique(ids)) != len(ids) or (
            table['attacks'].to_numpy().view(np.uint64) != attacks[ids]).any():
        return 'wrong'
    return 'all' if len(ids) == len(attacks) else 'part'


# ---- Jobs ----

def select(spark):
    return tuple(spark.sql(SELECT).first())


def write(target):
    return lambda spark: spark.sql(TABLE).write.mode('overwrite').parquet(str(target))


def at(moment, spark, job, act):
    """Runs a job, and calls `act` at a moment. Returns the job's result, the error that it raised,
    and whether the moment came."""
    outcome = {}

    def run():
        try:
            outcome['result'] = job(spark)
        except Exception as error:
            outcome['error'] = error

    has_come = {
        'start': lambda stage: stage.numActiveTasks == 2,
        'middle': lambda stage: stage.numCompletedTasks >= PARTS // 2,
        'end': lambda stage: stage.numCompletedTasks >= PARTS - 2,
    }[moment]
    tracker = spark.sparkContext.statusTracker()
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    acted = False
    end = time.monotonic() + JOB
    while thread.is_alive() and time.monotonic() < end:
        stages = [] if acted else map(tracker.getStageInfo, tracker.getActiveStageIds())
        if any(stage and stage.numTasks == PARTS and has_come(stage) for stage in stages):
            act()
            acted = True
        thread.join(0.01)
    if thread.is_alive():
        give_up(f'a job did not end in {JOB} s')
    return outcome.get('result'), outcome.get('error'), acted


class Test:
    def __init__(self, cluster, spark, cases):
        self.cluster, self.spark, self.cases = cluster, spark, cases
        self.counts = {}
        self.target = RESULT

    def write_data(self, rows):
        self.attacks = write_data(rows)
        self.expected = expected(self.attacks)
        self.spark.catalog.refreshTable('boards')  # forget the old files
        print(f'{rows:,} rows', flush=True)

    def two_executors(self):
        self.cluster.restore()
        memory = self.spark.sparkContext._jsc.sc().getExecutorMemoryStatus  # with the driver's
        state = lambda: f'(Spark has {memory().size() - 1}, workers {self.cluster.executors()})'
        wait_for(lambda: memory().size() == 3 and sum(map(len, self.cluster.executors())) == 2,
                 'two executors', state)

    def judge(self, case, verdict, seconds=0.0):
        """Counts the verdict on a case. A verdict is right, an error, or wrong."""
        count = self.counts.setdefault(case, {})
        count[verdict] = count.get(verdict, 0) + 1
        print(f'{case}: {verdict} ({seconds:.1f} s)', flush=True)

    def state(self):
        """Whether the target has `_SUCCESS`, and what a reader finds in it."""
        return (self.target / '_SUCCESS').exists(), read_back(self.target, self.attacks)

    def verdict(self, name, result, error):
        """Whether a job has done right: a SELECT by its result, a write by its target."""
        if name == 'SELECT':
            return 'error' if error else 'right' if result == self.expected else 'WRONG'
        success, found = self.state()
        if success or not error:
            return 'right' if found == 'all' and success and not error else f'WRONG: {found}'
        return f'error, target without _SUCCESS: {found}' if found != 'wrong' else 'WRONG'

    def case(self, name, moment, what, act):
        """Runs a job while something dies. Starts again if the job ends before the moment."""
        job = select if name == 'SELECT' else write(self.target)
        case = f'{name}, {what}, {moment}'
        if not re.search(self.cases, case):
            return
        for _ in range(5):
            self.two_executors()
            shutil.rmtree(self.target, ignore_errors=True)
            started = time.monotonic()
            result, error, acted = at(moment, self.spark, job, act)
            if acted:
                seconds = time.monotonic() - started
                self.judge(case, self.verdict(name, result, error), seconds)
                return
        self.judge(case, 'WRONG: the moment never came')

    def kill_executor(self):
        send(max(self.cluster.executors())[:1], signal.SIGKILL)

    def kill_worker(self):
        executors = self.cluster.executors()
        worker = self.cluster.workers[executors.index(max(executors))]
        worker.kill()
        worker.wait()

    def stop_machine(self, name):
        """Stops a worker with its executors, as a machine that hangs, and lets it go on later."""
        stopped = []

        def act():
            executors = self.cluster.executors()
            self.stopped = self.cluster.workers[executors.index(max(executors))]
            stopped.extend(self.cluster.machine(self.stopped))
            send(stopped, signal.SIGSTOP)

        self.case(name, 'middle', 'machine stopped', act)
        if not stopped:
            return
        before = self.state()
        send(stopped, signal.SIGCONT)
        time.sleep(3)
        if name == 'write':  # what the machine does late must not change the target
            verdict = 'right' if self.state() == before else f'WRONG: {before}, {self.state()}'
            self.judge('write, the stopped machine goes on', verdict)
        self.cluster.kill(self.stopped)

    def kill_driver(self, moment):
        """Kills the driver of another session in the middle of its write, or in its commit. Starts
        again if the write ends before the moment."""
        case = f'write, driver killed, {moment}'
        if not re.search(self.cases, case):
            return
        for _ in range(5):
            if self.write_and_die(case, moment):
                return
        self.judge(case, 'WRONG: the moment never came')

    def write_and_die(self, case, moment):
        """Whether the driver died at the moment."""
        self.cluster.restore()
        shutil.rmtree(self.target, ignore_errors=True)
        started = time.monotonic()
        environment = os.environ | {'SETWISE_SPARK_URL': self.cluster.url}
        with (LOGS / 'driver.log').open('a') as log:
            driver = subprocess.Popen([sys.executable, __file__, '--driver', moment], stdout=log,
                                      stderr=log, env=environment, preexec_fn=os.setpgrp)
            try:
                code = driver.wait(JOB)
            except subprocess.TimeoutExpired:
                os.killpg(driver.pid, signal.SIGKILL)
                give_up(f'a driver did not end in {JOB} s')
        if code == TOO_LATE:
            return False
        success, found = self.state()
        verdict = f'target {"with" if success else "without"} _SUCCESS: {found}'
        right = code == -signal.SIGKILL and found != 'wrong' and (found == 'all' or not success)
        self.judge(case, verdict if right else f'WRONG: {code}, {verdict}',
                   time.monotonic() - started)
        return True

    def worker_without_package(self):
        """Workers whose Python lacks the package give an error that says so."""
        import setwise.spark
        context = self.spark.sparkContext
        python, context.pythonExec = context.pythonExec, str(WITHOUT / 'bin/python')
        try:
            column = setwise.spark.queen_attacks('queens', 'occupied')
            self.spark.table('boards').limit(5).select(column).collect()
            verdict = 'WRONG: no error'
        except Exception as error:
            wanted = 'the Python package setwise is missing on the worker'
            found = wanted in str(error) and context.pythonExec in str(error)
            verdict = 'an error that says so' if found else f'WRONG: {error}'
        context.pythonExec = python
        self.judge('workers without the package', verdict)

    def functions(self):
        """Every function, in SQL and in a DataFrame, gives what one process computes."""
        import pyarrow as pa
        import setwise.spark
        from setwise import _spark
        fens = ['r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1', '8/8/8/8/8/8/8/7Q b', None,
                'Q6q/8/8/8/8/8/8/Q6q']
        arguments = {
            'squares': [0, 63, None, 5], 'a': [0, 1, 63, None], 'b': [63, None, 7, 8],
            'fen': fens, 'direction': ['north', 'south-east', None, 'north'], 'line': ['file'] * 4,
            'side': ['white', 'b', 'black', 'White'], 'piece': ['queen', 'rook', 'rook', 'king'],
        }
        sets = pa.array([1, -2**63, None, 12345678987654321], pa.int64())
        columns = {name: pa.array(values) for name, values in arguments.items()}
        columns['positions'] = _spark.evaluate('fen_sets', (columns['fen'],))
        names = {name for function in _spark.FUNCTIONS.values() for name in function.arguments}
        columns |= {name: sets for name in names - set(columns)}
        frame = self.spark.createDataFrame(pa.table(columns)).coalesce(1)
        frame.createOrReplaceTempView('rows')
        calls = {name: list(f.arguments) for name, f in _spark.FUNCTIONS.items()}
        in_sql = ', '.join(f'{setwise.spark.sql_name(name)}({", ".join(a)}) AS {name}' for name, a in calls.items())
        from pyspark.sql import functions as F
        in_frame = [getattr(setwise.spark, name)(*map(F.col, a)).alias(name)
                    for name, a in calls.items()]
        right = {name: _spark.evaluate(name, tuple(columns[a] for a in arguments))
                 for name, arguments in calls.items()}
        for how, found in [('SQL', self.spark.sql(f'SELECT {in_sql} FROM rows')),
                           ('DataFrame', frame.select(in_frame))]:
            table = found.toArrow()
            wrong = [name for name in calls if table[name].to_pylist() != right[name].to_pylist()]
            self.judge(f'{len(calls)} functions, {how}', f'WRONG: {wrong}' if wrong else 'right')
        row = self.spark.sql(
            "SELECT queen_attacks(1, 0), queen_attacks(18446744073709551615BD, 0), "
            "ray_attacks('North', 1, 0), 5 BETWEEN 1 AND 10, fen_side('8/8/8/8/8/8/8/K7', 'w'), "
            "try_fen_side('8/9', 'w')").first()
        literal = self.spark.range(1).select(setwise.spark.rook_attacks(2**63, 0)).first()[0]
        right = (0x81412111090503FE - 2**64, -1, 0x0101010101010100, True, 1, None)
        ok = tuple(row) == right and literal == 0x7F80808080808080
        self.judge('literals', 'right' if ok else f'WRONG: {row}, {literal}')
        try:
            self.spark.sql("SELECT fen_side('8/9', 'w')").collect()
            self.judge('a string that is not a position', 'WRONG: no error')
        except Exception as error:
            ok = "'8/9' is not a position: piece placement" in str(error)
            self.judge('a string that is not a position', 'error' if ok else f'WRONG: {error}')

    def programs(self):
        """The programs of the page: Spark's on the cluster, and two while a worker is killed."""
        for name, kill in [('Spark', False), ('Ray', True), ('Dask', True)]:
            started = time.monotonic()
            code, killed = run_program(name, self.cluster.url, kill)
            found = read_back(RESULT, self.attacks)
            verdict = 'right' if code == 0 and found == 'all' else f'error, {found}'
            failed = code if kill else False
            if not killed or found == 'wrong' or not failed and (code or found != 'all'):
                verdict = f'WRONG: {code}, {found}, {killed}'
            self.judge(f'program, {name}{", worker killed" if kill else ""}', verdict,
                       time.monotonic() - started)

    def seconds_of_select(self):
        started = time.monotonic()
        select(self.spark)
        return time.monotonic() - started

    def all(self, rows, rounds, long):
        self.write_data(rows)
        if re.search(self.cases, 'functions'):
            self.functions()
            self.worker_without_package()
        for name, job in [('SELECT', select), ('write', write(self.target))]:
            started = time.monotonic()
            verdict = self.verdict(name, job(self.spark), None)
            self.judge(f'{name}, {rows:,} rows', verdict, time.monotonic() - started)
        if long:
            rows //= 10
            self.write_data(rows)
        while self.seconds_of_select() < KILLABLE:
            rows *= 2
            self.write_data(rows)
        for _ in range(rounds):
            for name in ['SELECT', 'write']:
                # After a worker dies, both executors are on the other one. The executor that dies
                # next gets its successor on the new worker.
                for moment in ['start', 'middle', 'end']:
                    self.case(name, moment, 'worker killed', self.kill_worker)
                    self.case(name, moment, 'executor killed', self.kill_executor)
                self.stop_machine(name)
            for moment in ['middle', 'commit']:
                self.kill_driver(moment)
        self.spark.stop()
        if long and re.search(self.cases, 'programs'):
            self.programs()
        return any('WRONG' in verdict for count in self.counts.values() for verdict in count)


# ---- The programs in docs/cluster.md, and measurements ----

#: What the command of a worker looks like, by engine.
WORKER = {'Ray': r'^ray::\S*(Read|Map|Write)', 'Dask': 'spawn_main', 'Spark': 'nothing'}


def program(name):
    text = (ROOT / 'docs/cluster.md').read_text(encoding='utf-8')
    return re.search(rf'^## {name}\n.*?^```python\n(.*?)^```', text, re.M | re.S)[1]


def run_program(name, url='', kill=False):
    """Runs a program of the page. Kills a worker of Ray that has a task, and one of Dask when the
    first file is there. Returns the exit code, and whether a worker was killed."""
    shutil.rmtree(RESULT, ignore_errors=True)
    path = FOLDER / f'{name}.py'
    path.write_text(program(name), encoding='utf-8')
    arguments = f'--master {url} --conf spark.driver.host=127.0.0.1 --conf spark.cores.max=2 ' \
                '--conf spark.executor.memory=1g pyspark-shell'
    environment = os.environ | {'PYSPARK_SUBMIT_ARGS': arguments, 'SPARK_LOCAL_IP': '127.0.0.1',
                                'PYSPARK_PYTHON': str(WITH / 'bin/python')}
    with (LOGS / f'{name}.log').open('a') as log:
        process = subprocess.Popen([WITH / 'bin/python', path], cwd=FOLDER, stdout=log, stderr=log,
                                   env=environment)
    killed = not kill
    end = time.monotonic() + JOB
    while process.poll() is None:
        if time.monotonic() > end:
            send([*children(process.pid), process.pid], signal.SIGKILL)
            give_up(f'the program of {name} did not end in {JOB} s')
        if not killed and (name == 'Ray' or [*RESULT.glob('*.parquet')]):
            workers = [p for p in children(process.pid) if re.search(WORKER[name], command(p))]
            send(workers[:1], signal.SIGKILL)
            killed = bool(workers)
        time.sleep(0.01)
    return process.returncode, killed


class Meter(threading.Thread):
    """Measures the elapsed time, and the CPU time of processes and all that they start."""

    def __init__(self, roots):
        super().__init__(daemon=True)
        self.roots, self.first, self.last, self.ended = roots, None, {}, threading.Event()

    def sample(self):
        for pid in [*self.roots, *(child for root in self.roots for child in children(root))]:
            try:
                fields = Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()
                self.last[pid] = (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')
            except OSError:
                pass

    def run(self):
        while not self.ended.wait(0.1):
            self.sample()

    def __enter__(self):
        self.started = time.monotonic()
        self.sample()
        self.first = sum(self.last.values())
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join()
        self.sample()
        self.elapsed = time.monotonic() - self.started
        self.cpu = sum(self.last.values()) - self.first


def one_process(writes):
    """What one process does with one file after the other."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    import setwise
    for path in sorted(DATA.iterdir()):
        table = pq.read_table(path)
        attacks = setwise.queen_attacks(table['queens'], table['occupied'])
        if writes:
            pq.write_table(pa.table({'id': table['id'], 'attacks': attacks}), RESULT / path.name)
        else:
            np.bitwise_count(attacks.to_numpy().view(np.uint64)).sum()


def steps(rows):
    """Prints the million rows per second of CPU time of each step of one process."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    import setwise
    best = {}

    def step(name, job):
        started = time.process_time()
        result = job()
        best[name] = min(best.get(name, 1e9), time.process_time() - started)
        return result

    for path in sorted(DATA.iterdir()) * 3:
        table = step('decode', lambda: pq.read_table(path, use_threads=False))
        attacks = step('compute', lambda: setwise.queen_attacks(table['queens'], table['occupied']))
        result = pa.table({'id': table['id'], 'attacks': attacks})
        step('encode', lambda: pq.write_table(result, FOLDER / 'step.parquet'))
    rates = [f'{name} {rows / seconds / 1e6:.1f}' for name, seconds in best.items()]
    print(f'\none file of {rows:,} rows, per second of CPU time: {", ".join(rates)}\n')


def measure(rows, engines):
    """Prints the rates of the engines that a regular expression finds, by the size of files."""
    write_data(1_000_000, 1)
    steps(1_000_000)
    print('million rows a second, and per second of CPU time\n')
    print('| rows per file | engine | SELECT | write |\n|---|---|---|---|')

    def compare(roots, table, runs=3):
        """Shows the run of each job with the least CPU time. The engines take turns, because
        their first runs compile and start much."""
        meters = {}
        table = {engine: jobs for engine, jobs in table.items() if re.search(engines, engine)}
        for _ in range(runs):
            for engine, jobs in table.items():
                for i, job in [(i, job) for i, job in enumerate(jobs) if job]:
                    shutil.rmtree(RESULT, ignore_errors=True)
                    RESULT.mkdir()
                    with Meter(roots) as meter:
                        job()
                    meters.setdefault((engine, i), []).append((meter.cpu, meter.elapsed))
        for engine, jobs in table.items():
            cells = ['{1:.2f}, {0:.2f}'.format(*(rows / s / 1e6 for s in min(meters[engine, i])))
                     if job else '' for i, job in enumerate(jobs)]
            print(f'| {size:,} | {engine} | {" | ".join(cells)} |', flush=True)

    me = [os.getpid()]
    for size in [1_000_000, 100_000, 5_000_000]:
        write_data(rows, max(1, rows // size))
        compare(me, {'one process': [lambda: one_process(False), lambda: one_process(True)]})
        if re.search(engines, 'Spark'):
            cluster = Cluster()
            try:
                spark = session(cluster.url, '')
                Test(cluster, spark, '').two_executors()

                def in_batches(number, job):
                    spark.conf.set('spark.sql.parquet.columnarReaderBatchSize', number)
                    job(spark)

                plain = SELECT.replace('queen_attacks(queens, occupied)', 'queens ^ occupied')
                table = {f'Spark, batches of {number:,} rows': [
                    lambda number=number: in_batches(number, select),
                    lambda number=number: in_batches(number, write(RESULT))]
                    for number in [4096, 65_536]}
                table['Spark, without the function'] = [lambda: spark.sql(plain).first(), None]
                compare([*me, *(worker.pid for worker in cluster.workers)], table, 6)
                spark.stop()
            finally:
                cluster.stop()
        compare(me, {f'{name}, with its start': [None, lambda name=name: run_program(name)]
                     for name in ['Ray', 'Dask']}, 1)


def driver(moment):
    """Writes, and kills itself and Spark's Java process in the middle or in the commit."""
    spark = session(os.environ['SETWISE_SPARK_URL'], executors=1)
    target = RESULT
    die = lambda: os.killpg(0, signal.SIGKILL)
    if moment == 'commit':
        def watch():
            while not [*target.glob('*.parquet')]:
                time.sleep(0.0005)
            die()
        threading.Thread(target=watch, daemon=True).start()
        write(target)(spark)
    else:
        at(moment, spark, write(target), die)
    sys.exit(TOO_LATE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--long', action='store_true')
    parser.add_argument('--rows', type=int)
    parser.add_argument('--rounds', type=int)
    parser.add_argument('--cases', default='')
    parser.add_argument('--measure', action='store_true')
    parser.add_argument('--driver')
    given = parser.parse_args()
    if given.driver:
        return driver(given.driver)
    if Path(sys.prefix) != WITH:
        FOLDER.mkdir(exist_ok=True, parents=True)
        install(given.long or given.measure)
        os.execv(WITH / 'bin/python', [WITH / 'bin/python', __file__, *sys.argv[1:]])
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    DATA.mkdir(parents=True, exist_ok=True)
    rows = given.rows or (20_000_000 if given.long or given.measure else 500_000)
    if given.measure:
        return measure(rows, given.cases)
    if not given.long:
        signal.signal(signal.SIGALRM, lambda *_: give_up(f'the test did not end in {ALL} s'))
        signal.alarm(ALL)
    cluster = Cluster()
    try:
        started = time.monotonic()
        test = Test(cluster, session(cluster.url), given.cases)
        test.two_executors()
        print(f'the session took {time.monotonic() - started:.1f} s', flush=True)
        failed = test.all(rows, given.rounds or (10 if given.long else 1), given.long)
    finally:
        cluster.stop()
    print('\n| case | results |\n|---|---|')
    for case, count in test.counts.items():
        print(f'| {case} | {", ".join(f"{n} {verdict}" for verdict, n in count.items())} |')
    sys.exit(failed)


if __name__ == '__main__':
    main()
