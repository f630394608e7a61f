# dp_noise: build, install, test.  `make help` lists the targets.
#
# The extension is built by PGXS.  Everything that needs only a compiler or a
# script (unit, test, demo, bench, lint, format, dist, help) is defined before
# it, and works where no pg_config is installed yet.

.DEFAULT_GOAL := all

EXTENSION := dp_noise
# PGXS has a VERSION of its own, the server's.
EXTVERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" dp_noise.control)

SOURCE_HEADERS := $(sort $(wildcard src/*.h src/*/*.h src/*/*/*.h src/*/*/*/*.h))

# No fused multiply-add, in the machine code and in the bitcode alike: the
# arithmetic must be what the source says.
EXACT_FLAGS := -ffp-contract=off
WARNINGS := -Wall -Wextra -Wshadow
CRYPTO_CFLAGS := $(shell pkg-config --cflags libcrypto 2>/dev/null)
CRYPTO_LIBS := $(shell pkg-config --libs libcrypto 2>/dev/null || echo -lcrypto)

##############################################################################
# Unit tests: the folders that know nothing of PostgreSQL, without a server.

PURE := core random samplers mechanisms planning accounting local
PURE_SOURCES := $(sort $(wildcard $(PURE:%=src/%/*.c)))
UNIT_SOURCES := $(sort $(wildcard test/unit/test_*.c))
UNIT_SUPPORT := $(sort $(wildcard test/unit/support/*.c))
UNIT_HEADERS := $(SOURCE_HEADERS) $(sort $(wildcard test/unit/*.h test/unit/support/*.h))

# PGXS sets CC below, so the caller's choice is kept here.
UNIT_CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
UNIT_VARIANT := $(if $(filter-out gcc,$(notdir $(UNIT_CC))),-$(subst /,-,$(subst $() ,-,$(UNIT_CC))))
UNIT_DIR := build/unit$(if $(SAN),-san)$(UNIT_VARIANT)
UNIT_SAN := -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer

# clang's checks of 128-bit products live in its own runtime library
UNIT_LDFLAGS := $(if $(SAN),$(UNIT_SAN) $(if $(findstring clang,$(UNIT_CC)),--rtlib=compiler-rt -lgcc_s))
UNIT_CFLAGS := -std=c11 -g $(if $(SAN),-O1 $(UNIT_SAN),-O2) $(EXACT_FLAGS) \
	$(WARNINGS) -Werror -Isrc $(CRYPTO_CFLAGS)
PURE_CFLAGS := -pedantic -Wconversion
TEST_CFLAGS := -D_POSIX_C_SOURCE=200809L -Itest/unit

UNIT_OBJS := $(PURE_SOURCES:%.c=$(UNIT_DIR)/%.o) $(UNIT_SUPPORT:%.c=$(UNIT_DIR)/%.o)
UNIT_PROGRAMS := $(UNIT_SOURCES:test/unit/%.c=$(UNIT_DIR)/%)

$(UNIT_DIR)/src/%.o: src/%.c $(UNIT_HEADERS)
	@mkdir -p $(@D)
	$(UNIT_CC) $(UNIT_CFLAGS) $(PURE_CFLAGS) -c -o $@ $<

$(UNIT_DIR)/test/%.o: test/%.c $(UNIT_HEADERS)
	@mkdir -p $(@D)
	$(UNIT_CC) $(UNIT_CFLAGS) $(TEST_CFLAGS) -c -o $@ $<

$(UNIT_DIR)/test_%: $(UNIT_DIR)/test/unit/test_%.o $(UNIT_OBJS)
	$(UNIT_CC) $(UNIT_LDFLAGS) -o $@ $^ $(CRYPTO_LIBS) -lm

.PRECIOUS: $(UNIT_DIR)/test/%.o

# A locale with a decimal comma; where it cannot be made, a test is skipped.
COMMA_LOCALE := build/locale/de_DE.UTF-8

$(COMMA_LOCALE):
	@mkdir -p $(@D)
	@localedef --quiet -i de_DE -f UTF-8 ./$@ 2>/dev/null || echo "unit: no locale with a decimal comma can be made" >&2

.PHONY: unit
unit: $(UNIT_PROGRAMS) $(COMMA_LOCALE)
ifeq ($(UNIT_PROGRAMS),)
	@echo "unit: there are no programs test/unit/test_*.c" >&2; exit 1
else
	@PERL5LIB="test/lib$${PERL5LIB:+:$$PERL5LIB}" LOCPATH="$(CURDIR)/$(dir $(COMMA_LOCALE))" \
		prove --formatter Tally $(or $(PROVE_FLAGS),-j$(shell nproc)) --exec '' $(UNIT_PROGRAMS)
endif

##############################################################################
# Fuzzers of the same folders; test/fuzz/run calls for them, with SAN=1.

FUZZ_SOURCES := $(sort $(wildcard test/fuzz/*.c))
FUZZ_PROGRAMS := $(FUZZ_SOURCES:test/fuzz/%.c=build/fuzz/%)

build/fuzz/%: $(UNIT_DIR)/test/fuzz/%.o $(UNIT_OBJS)
	@mkdir -p $(@D)
	$(UNIT_CC) $(UNIT_LDFLAGS) -o $@ $^ $(CRYPTO_LIBS) -lm

.PHONY: fuzz-programs
fuzz-programs: $(FUZZ_PROGRAMS)

##############################################################################
# What draws for test/audit/samplers/check.

AUDIT_DRAW := build/samplers/draw

$(AUDIT_DRAW): $(UNIT_DIR)/test/audit/samplers/draw.o $(UNIT_DIR)/test/audit/samplers/samplers.o $(UNIT_OBJS)
	@mkdir -p $(@D)
	$(UNIT_CC) $(UNIT_LDFLAGS) -o $@ $^ $(CRYPTO_LIBS) -lm

$(UNIT_DIR)/test/audit/samplers/%.o: test/audit/samplers/draw.h

##############################################################################
# What measures for the figures; doc/figures/run calls for it.

FIGURE_PROGRAMS := $(patsubst doc/figures/%.c,build/figures/%,\
	$(filter-out doc/figures/figure.c,$(sort $(wildcard doc/figures/*.c))))
FIGURE_CFLAGS := -D_XOPEN_SOURCE=700 -Idoc/figures

build/figures/%: doc/figures/%.c doc/figures/figure.c doc/figures/figure.h $(PURE_SOURCES:%.c=$(UNIT_DIR)/%.o)
	@mkdir -p $(@D)
	$(UNIT_CC) $(UNIT_CFLAGS) $(FIGURE_CFLAGS) $(UNIT_LDFLAGS) -o $@ $(filter-out %.h,$^) $(CRYPTO_LIBS) -lm

.PHONY: figure-programs
figure-programs: $(FIGURE_PROGRAMS)

##############################################################################
# Scripts.  They install what they need and call make again.

.PHONY: test test-all fuzz audit demo demo-omop try bench figures doc hooks lint format dist deb help

# LINT is "lint" where nobody set it: a builtin of make.
test:
	@LINT='$(filter 1,$(LINT))' SAN='$(SAN)' SUITES='$(SUITES)' ALL='$(ALL)' test/run

test-all:
	@LINT=1 SAN=1 SUITES='$(SUITES)' ALL=1 test/run

fuzz:
	@FUZZ_SECONDS="$${FUZZ_SECONDS:-60}" SUITES=fuzz ALL='$(ALL)' test/run

audit:
	@AUDIT_SHARE="$${AUDIT_SHARE:-all}" SUITES=audit test/run

demo demo-omop try:
	@test -x doc/demo/run || { echo "$@: doc/demo/run is missing" >&2; exit 1; }
	@doc/demo/run $@

bench:
	@test -x bench/run || { echo "bench: bench/run is missing" >&2; exit 1; }
	@bench/run

figures:
	@doc/figures/run

doc:
	@test/server doc/generate-reference

hooks:
	git config core.hooksPath test/hooks

lint:
	@test/lint/run

format:
	@test/lint/format

# The archives that PGXN takes and that packages are built from.
dist:
	@test/lint/version
	@packaging/dist

deb:
	@packaging/deb

help:
	@echo 'make               build the extension (PG_CONFIG=..., WERROR=1, ASSERT=1)'
	@echo 'make install       install it into the server of PG_CONFIG'
	@echo 'make installcheck  regression and isolation tests against a running server'
	@echo 'make test          install the packages, build, install, run a share of every suite'
	@echo '                   (LINT=1, SAN=1 add the lint and the sanitized unit tests,'
	@echo '                   SUITES="unit regress isolation pgtap tap documents clients fuzz audit'
	@echo '                   citus package" chooses; ALL=1 all of them)'
	@echo 'make test-all      all of every suite, the lint and the sanitized unit tests'
	@echo 'make fuzz          random cases against exact arithmetic, plain SQL, other orders'
	@echo '                   and plans, under sanitizers; interrupted at any moment'
	@echo '                   (FUZZ_SECONDS=60 for each program, FUZZ_SEED repeats)'
	@echo 'make audit         measure what answers about neighbouring tables give away'
	@echo '                   (AUDIT="samplers" and the like for parts; AUDIT_DRAWS, ...: test/audit/run)'
	@echo 'make assert        the library with its assertions, for test/tap and test/fuzz'
	@echo 'make asan          the library with the sanitizers, for test/fuzz/states.pl'
	@echo 'make steps         the library that test/tap/ledger_steps.pl stops at each step'
	@echo 'make limits        the library whose limits test/tap/limits.pl reaches'
	@echo 'make next          the library of a later version, for test/tap/upgrade.pl'
	@echo 'make record        the library that writes down what mechanisms are given,'
	@echo '                   for test/audit/recorded.pl'
	@echo 'make unit          unit tests, no server (SAN=1, CC=clang, PROVE_FLAGS=-v)'
	@echo 'make demo          a guided tour on a throw-away server'
	@echo 'make demo-omop     ten questions of cohort research, in the OMOP Common Data Model'
	@echo 'make try           psql on a throw-away server, with the tables of the README'
	@echo 'make bench         compare the private aggregates with the built-in ones'
	@echo 'make figures       measure for the figures of doc/figures and draw them'
	@echo 'make doc           renew what is generated in doc/reference.md and doc/messages.md'
	@echo 'make hooks         run the fast lint before each commit of this clone'
	@echo 'make lint          formatting, static analysis, layering'
	@echo 'make format        format the C sources in place'
	@echo 'make dist          dp_noise-$(EXTVERSION).zip for PGXN, and .tar.gz'
	@echo 'make deb           Debian packages, for each PostgreSQL of this release of Debian'
	@echo 'make clean         remove what was built'

##############################################################################
# The extension.

PG_CONFIG ?= pg_config
PGXS := $(shell "$(PG_CONFIG)" --pgxs 2>/dev/null)

ifeq ($(wildcard $(PGXS)),)

.PHONY: all assert asan record steps limits next install installcheck uninstall clean
all assert asan record steps limits next install installcheck uninstall:
	@echo "$(PG_CONFIG) or its server headers are not installed:" \
		"run test/install-packages build, or set PG_CONFIG" >&2
	@exit 1
clean:
	rm -rf build

else

MODULE_big := dp_noise
OBJS := $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/*/*.c src/*/*/*.c src/*/*/*/*.c)))

# The parts of the install script, in the order in which they are run.
INSTALL_PARTS := $(patsubst %,sql/install/%.sql,schema aggregates planning local \
	place tables archive accounts populations units protect doubts protect_schema declared budgets suggest sensitivity \
	dropped charges views propose reader_views rehearse script disclosure activity gate expressions hardening check_populations check settings)
INSTALL_SCRIPT_SQL := sql/install/dp_noise--$(EXTVERSION).sql
DATA_built := $(INSTALL_SCRIPT_SQL)
DATA := $(sort $(wildcard sql/install/dp_noise--*--*.sql))

# The server's headers are system headers to us: their warnings are not ours.
PG_CPPFLAGS := $(EXACT_FLAGS) -Isrc \
	-isystem $(shell "$(PG_CONFIG)" --includedir-server) $(CRYPTO_CFLAGS) \
	$(if $(ASSERT),-DUSE_ASSERT_CHECKING)
PG_CFLAGS := $(WARNINGS) $(if $(WERROR),-Werror) \
	$(if $(findstring clang,$(CC)),-Wno-unknown-warning-option -Wno-ignored-optimization-argument -Wno-ignored-attributes)
SHLIB_LINK := $(CRYPTO_LIBS)

REGRESS := $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
REGRESS_OPTS := --inputdir=.
ISOLATION := $(patsubst test/isolation/specs/%.spec,%,$(sort $(wildcard test/isolation/specs/*.spec)))
ISOLATION_OPTS := --inputdir=test/isolation

EXTRA_CLEAN := build

include $(PGXS)

# PGXS knows no header dependencies where the server was built without them.
$(OBJS) $(OBJS:.o=.bc): $(SOURCE_HEADERS)

$(INSTALL_SCRIPT_SQL): $(INSTALL_PARTS) dp_noise.control
	cat $(INSTALL_PARTS) >$@

# The library with its assertions; it is not installed.
.PHONY: assert
assert: build/assert/dp_noise$(DLSUFFIX)

build/assert/%.o: src/%.c $(SOURCE_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CPPFLAGS) -DUSE_ASSERT_CHECKING -c -o $@ $<

build/assert/dp_noise$(DLSUFFIX): $(OBJS:src/%=build/assert/%)
	$(LINK.shared) -o $@ $^ $(LDFLAGS) $(LDFLAGS_SL) $(SHLIB_LINK)

# The library with the sanitizers, for a server that has libasan preloaded; it
# is not installed either.
ASAN_FLAGS := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

.PHONY: asan
asan: build/asan/dp_noise$(DLSUFFIX) build/asan/first$(DLSUFFIX)

build/asan/first$(DLSUFFIX): test/lib/asan_first.c
	@mkdir -p $(@D)
	$(CC) -shared -fPIC -O0 -fno-builtin -Wl,-z,initfirst -o $@ $<

build/asan/%.o: src/%.c $(SOURCE_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CPPFLAGS) $(ASAN_FLAGS) -DUSE_ASSERT_CHECKING -c -o $@ $<

build/asan/dp_noise$(DLSUFFIX): $(OBJS:src/%=build/asan/%)
	$(LINK.shared) $(ASAN_FLAGS) -o $@ $^ $(LDFLAGS) $(LDFLAGS_SL) $(SHLIB_LINK)

# A library whose ledger a test can stop at each step (src/ledger/step.h); it is
# not installed.
STEPS_OBJS := $(patsubst src/ledger/%.c,build/steps/%.o,$(sort $(wildcard src/ledger/*.c)))

.PHONY: steps
steps: build/steps/dp_noise$(DLSUFFIX)

build/steps/%.o: src/ledger/%.c $(SOURCE_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CPPFLAGS) -DDP_STEPS -c -o $@ $<

build/steps/dp_noise$(DLSUFFIX): $(STEPS_OBJS) $(filter-out src/ledger/%,$(OBJS))
	$(LINK.shared) -o $@ $^ $(LDFLAGS) $(LDFLAGS_SL) $(SHLIB_LINK)

# A library in which few rows do what otherwise billions do: numbers of pairs of
# a unit and a value have two words from 1,000 pairs on
# (src/mechanisms/distinct_flow.h). It is not installed.
LOW_LIMITS := -DDP_FLOW_NARROW_MAX=1000
LIMITS_OBJS := $(patsubst src/aggregates/%.c,build/limits/%.o,$(sort $(wildcard src/aggregates/*.c)))

.PHONY: limits
limits: build/limits/dp_noise$(DLSUFFIX)

build/limits/%.o: src/aggregates/%.c $(SOURCE_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CPPFLAGS) $(LOW_LIMITS) -c -o $@ $<

build/limits/dp_noise$(DLSUFFIX): $(LIMITS_OBJS) $(filter-out src/aggregates/%,$(OBJS))
	$(LINK.shared) -o $@ $^ $(LDFLAGS) $(LDFLAGS_SL) $(SHLIB_LINK)

# A library that takes itself for a later version, for test/tap/upgrade.pl; it is not
# installed.
.PHONY: next
next: build/next/dp_noise$(DLSUFFIX)

build/next/%.o: src/%.c $(SOURCE_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CPPFLAGS) '-DDP_VERSION="0.2.0"' -c -o $@ $<

NEXT_OBJS := $(patsubst %,build/next/%.o,server/version ledger/requester ledger/owner_functions)

build/next/dp_noise$(DLSUFFIX): $(NEXT_OBJS) $(filter-out $(NEXT_OBJS:build/next/%=src/%),$(OBJS))
	$(LINK.shared) -o $@ $^ $(LDFLAGS) $(LDFLAGS_SL) $(SHLIB_LINK)

# A library that writes down what mechanisms are given, and whose random words
# are no secret (src/random/record.h); it must never be installed.
.PHONY: record
record: build/record/dp_noise$(DLSUFFIX)

build/record/%.o: src/%.c $(SOURCE_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CPPFLAGS) -DDP_RECORD -Wno-declaration-after-statement -c -o $@ $<

build/record/dp_noise$(DLSUFFIX): $(OBJS:src/%=build/record/%)
	$(LINK.shared) -o $@ $^ $(LDFLAGS) $(LDFLAGS_SL) $(SHLIB_LINK)

endif
