#!/usr/bin/env python3
"""Place libz3 in .z3/lib, where the build looks for it.

Taken, in this order:
  1. libz3.so from the folder in $Z3_LIBRARY_PATH_OVERRIDE, if that is set;
  2. the system's libz3, if it is recent enough;
  3. the one inside the Python package `z3-solver`, fetched by pip.

Building Z3 from source instead would need a newer C++ compiler than Debian 12
has, and most of an hour.
"""

import ctypes
import ctypes.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

OLDEST = (4, 13, 3)
PACKAGE = "z3-solver==5.4.0.0"
HOME = Path(__file__).resolve().parent.parent / ".z3"


def dotted(version):
    return ".".join(map(str, version))


def version_of(library):
    """The version that a libz3 says of itself; OSError if it cannot be loaded."""
    numbers = [ctypes.c_uint() for _ in range(4)]
    ctypes.CDLL(str(library)).Z3_get_version(*map(ctypes.byref, numbers))
    return tuple(number.value for number in numbers[:3])


def file_of_loaded(name):
    """The file behind a library that this process has loaded by its bare name."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        path = line.split(maxsplit=5)[5:]
        if path and Path(path[0]).name.startswith(Path(name).name):
            return Path(path[0])
    raise OSError(f"{name} was loaded, but from no file")


def soname(library):
    """The name under which the loader will ask for the library."""
    listing = subprocess.run(
        ["readelf", "--dynamic", str(library)], capture_output=True, text=True, check=True
    ).stdout
    found = re.search(r"\(SONAME\).*\[(.*)\]", listing)
    return found.group(1) if found else "libz3.so"


def named_by_user():
    folder = os.environ.get("Z3_LIBRARY_PATH_OVERRIDE")
    if not folder or Path(folder).resolve() == HOME / "lib":
        return None
    library = Path(folder) / "libz3.so"
    try:
        version = version_of(library)
    except OSError as error:
        sys.exit(f"setup: Z3_LIBRARY_PATH_OVERRIDE is set, but {library} cannot be loaded: {error}")
    if version < OLDEST:
        sys.exit(
            f"setup: {library} is Z3 {dotted(version)}, and heddle needs {dotted(OLDEST)} or newer.\n"
            "       Unset Z3_LIBRARY_PATH_OVERRIDE to have a recent one fetched."
        )
    return library


def of_the_system():
    name = ctypes.util.find_library("z3")
    if name is None:
        return None
    try:
        version = version_of(name)
        library = file_of_loaded(name)
    except OSError as error:
        print(f"setup: the system's {name} cannot be used: {error}")
        return None
    if version < OLDEST:
        print(
            f"setup: the system's libz3 ({library}) is Z3 {dotted(version)}; refused, "
            f"because heddle needs {dotted(OLDEST)} or newer"
        )
        return None
    return library


def fetched(scratch):
    print(f"setup: fetching libz3 from the Python package {PACKAGE}")
    pip = [sys.executable, "-m", "pip"]
    if subprocess.run([*pip, "--version"], capture_output=True).returncode != 0:
        sys.exit(
            "setup: python3 has no pip, which is needed to fetch libz3.\n"
            "       On Debian: apt install python3-pip. Or install a libz3 of version\n"
            f"       {dotted(OLDEST)} or newer and name its folder in Z3_LIBRARY_PATH_OVERRIDE."
        )
    # Only downloaded, never installed: this also works where the system's Python
    # refuses packages that its own package manager does not know.
    download = [*pip, "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    if subprocess.run([*download, "--dest", str(scratch), PACKAGE]).returncode != 0:
        sys.exit(
            f"setup: pip could not fetch {PACKAGE} (its message is above).\n"
            f"       Without a network: install a libz3 of version {dotted(OLDEST)} or newer\n"
            "       and name its folder in Z3_LIBRARY_PATH_OVERRIDE."
        )
    (wheel,) = scratch.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return Path(archive.extract("z3/lib/libz3.so", scratch))


def main():
    sys.stdout.reconfigure(line_buffering=True)  # in order with what pip says
    HOME.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=HOME) as scratch:
        library = named_by_user() or of_the_system()
        lib = Path(scratch) / "lib"
        lib.mkdir()
        if library is None:
            library = fetched(Path(scratch))
            name = soname(library)
            library.rename(lib / name)
        else:
            name = soname(library)
            (lib / name).symlink_to(library.resolve())
        if name != "libz3.so":
            (lib / "libz3.so").symlink_to(name)
        version = dotted(version_of(lib / "libz3.so"))
        origin = os.path.realpath(lib / name) if (lib / name).is_symlink() else PACKAGE
        shutil.rmtree(HOME / "lib", ignore_errors=True)
        lib.rename(HOME / "lib")
    # Written last: its presence tells make that everything above went well.
    (HOME / "version").write_text(f"{version}\n")
    print(f"setup: .z3/lib has Z3 {version} ({origin})")


if __name__ == "__main__":
    main()
